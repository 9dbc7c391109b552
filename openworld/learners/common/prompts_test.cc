#include "openworld/learners/common/prompts.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

const std::vector<std::string> kNames = {"cat", "snow leopard", "fire truck", "zebra"};

// Features and the gradient of their weighted sum.
std::pair<Tensor, Tensor> run(int threads, const PromptShape& shape) {
  const TextModel text_model = oracle_model().text_model(threads);
  ContextPrompts prompts(text_model, kNames, shape);
  PromptPool pool(threads);
  Tensor context = random_rows(text_model, prompts.rows(), 3, 0).mul(20).requires_grad_();
  PromptList* const lists[] = {&prompts, &prompts};
  const Tensor contexts[] = {context, context};
  const std::vector<Tensor> features = pool.features(lists, contexts);
  EXPECT_TRUE(features[0].equal(features[1]));
  const Tensor weights = at::arange(features[0].numel()).reshape(features[0].sizes()) % 7;
  ((features[0] + 2 * features[1]) * weights).sum().backward();
  return {features[0].detach(), context.grad()};
}

TEST(PromptPool, GivesTheSameBitsOnAnyNumberOfThreads) {
  for (const NamePosition position :
       {NamePosition::kEnd, NamePosition::kMiddle, NamePosition::kFront}) {
    const auto [one, gradient] = run(1, {.tokens = 4, .position = position});
    const auto [three, other] = run(3, {.tokens = 4, .position = position});
    EXPECT_TRUE(one.equal(three));
    EXPECT_TRUE(gradient.equal(other));
    EXPECT_GT(gradient.abs().max().item<double>(), 0);
  }
}

// A tower wide enough that its prompts are dealt into shards; random weights.
Clip wide_clip() {
  ClipConfig config = oracle_model().clip.config;
  config.text = {.width = 512, .layers = 1, .heads = 8, .mlp = 2048};
  std::uint64_t stream = 0;
  return make_clip(config, [&](const TensorSpec& spec) {
    Random random(17, ++stream);
    Tensor tensor = at::empty(spec.shape);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      tensor.data_ptr<float>()[i] = static_cast<float>(0.03 * random.normal());
    }
    return tensor;
  });
}

TEST(PromptPool, ShardsGiveTheFeaturesAndGradientsOfTheWhole) {
  const Clip clip = wide_clip();
  const TextModel text_model = {&clip, &oracle_model().tokenizer, {}, 2};
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) {
    for (const char* word : {" cat", " zebra", " fire truck"})
      names.push_back(c + std::string(word));
  }
  ContextPrompts all(text_model, names, {.tokens = 2});
  ASSERT_GT(all.shards(), 1u);
  PromptPool pool(2);
  const Tensor context = random_rows(text_model, 2, 3, 0).requires_grad_();
  const Tensor features = pool.features(all, context);
  const Tensor weights = at::arange(features.numel()).reshape(features.sizes()) % 5;
  (features * weights).sum().backward();
  const Tensor alone = context.detach().clone().requires_grad_();
  for (std::size_t i = 0; i < names.size(); ++i) {
    ContextPrompts one(text_model, {names[i]}, {.tokens = 2});
    ASSERT_EQ(one.shards(), 1u);
    const Tensor feature = pool.features(one, alone);
    const auto row = static_cast<std::int64_t>(i);
    EXPECT_LT((feature[0] - features[row]).abs().max().item<double>(), 1e-5) << names[i];
    (feature[0] * weights[row]).sum().backward();
  }
  const double scale = alone.grad().abs().max().item<double>();
  EXPECT_LT((alone.grad() - context.grad()).abs().max().item<double>(), 1e-4 * scale);
}

TEST(PromptPool, CanGoBackwardTwice) {
  const TextModel text_model = oracle_model().text_model();
  ContextPrompts prompts(text_model, kNames, {.tokens = 2});
  PromptPool pool(2);
  const Tensor context = random_rows(text_model, 2, 3, 0).requires_grad_();
  const Tensor sum = pool.features(prompts, context).pow(3).sum();
  sum.backward({}, true);
  const Tensor once = context.grad().clone();
  sum.backward();
  EXPECT_TRUE(context.grad().equal(once * 2));
}

// Every image's prompts by themselves, one image after the other.
TEST(PromptPool, ContextsPerImageGiveTheFeaturesOfEachImageAlone) {
  const Clip wide = wide_clip();
  for (const bool is_wide : {false, true}) {
    const TextModel text_model =
        is_wide ? TextModel{&wide, &oracle_model().tokenizer, {}, 2} : oracle_model().text_model(2);
    const std::vector<std::string> names =
        is_wide ? std::vector<std::string>(24, "snow leopard") : kNames;
    for (const NamePosition position :
         {NamePosition::kEnd, NamePosition::kMiddle, NamePosition::kFront}) {
      const PromptShape shape = {.tokens = 3, .position = position};
      ContextPrompts prompts(text_model, names, shape);
      PromptPool pool(2);
      for (const std::int64_t images : {1, 5}) {
        const Tensor contexts = random_rows(text_model, images * 3, 5, 1)
                                    .mul(20)
                                    .reshape({images, 3, -1})
                                    .requires_grad_();
        const Tensor features = pool.features(prompts, contexts);
        ASSERT_EQ(
            features.sizes().vec(),
            (std::vector<std::int64_t>{images, prompts.names(), text_model.clip->config.embed}));
        const Tensor weights = at::arange(features.numel()).reshape(features.sizes()) % 7;
        (features * weights).sum().backward();
        for (std::int64_t i = 0; i < images; ++i) {
          const Tensor own = contexts.detach()[i].clone().requires_grad_();
          const Tensor alone = pool.features(prompts, own);
          (alone * weights[i]).sum().backward();
          const auto error = [](const Tensor& a, const Tensor& b) {
            return ((a - b).abs().max() / b.abs().max()).item<double>();
          };
          EXPECT_LT(error(features.detach()[i], alone.detach()), 1e-5);
          EXPECT_LT(error(contexts.grad()[i], own.grad()), 1e-4);
        }
      }
    }
  }
}

TEST(PromptPool, ContextsPerImageGiveTheSameBitsOnAnyNumberOfThreads) {
  const Clip clip = wide_clip();
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.push_back(c + std::string(" zebra"));
  Tensor features[2], gradients[2];
  for (const int threads : {1, 3}) {
    const TextModel text_model = {&clip, &oracle_model().tokenizer, {}, threads};
    ContextPrompts prompts(text_model, names, {.tokens = 2});
    PromptPool pool(threads);
    const Tensor contexts = random_rows(text_model, 8, 5, 1).reshape({4, 2, -1}).requires_grad_();
    features[threads / 3] = pool.features(prompts, contexts).detach();
    pool.features(prompts, contexts).pow(3).sum().backward();
    gradients[threads / 3] = contexts.grad();
  }
  EXPECT_TRUE(features[0].equal(features[1]));
  EXPECT_TRUE(gradients[0].equal(gradients[1]));
}

TEST(PromptPool, RefusesContextsOfAnotherShape) {
  const TextModel text_model = oracle_model().text_model();
  PromptPool pool(1);
  ContextPrompts shared(text_model, kNames, {.tokens = 3});
  ContextPrompts specific(text_model, kNames, {.tokens = 3, .class_specific = true});
  const std::int64_t width = text_model.clip->config.text.width;
  for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
           {2, width}, {3, width + 1}, {4, 2, width}, {0, 3, width}}) {
    EXPECT_THROW(pool.features(shared, at::zeros(shape)), Error);
    EXPECT_THROW(pool.features(specific, at::zeros(shape)), Error);
  }
  EXPECT_THROW(pool.features(specific, at::zeros({5, 3, width})), Error);
  EXPECT_NO_THROW(pool.features(specific, at::zeros({4, 3, width}) + 0.1));
}

TEST(ContextPrompts, NamesTheClassThatDoesNotFit) {
  const TextModel text_model = oracle_model().text_model();
  try {
    ContextPrompts(text_model, {"cat", "maine coon cat of the far and snowy north"},
                   {.tokens = 16});
    FAIL();
  } catch (const Error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("class \"maine coon cat of the far and snowy north\" takes"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("the model has room for 24"), std::string::npos) << text;
  }
}

TEST(StartRows, FromWordsAreTheirEmbeddingsWithNoise) {
  const TextModel text_model = oracle_model().text_model();
  const Tensor words = word_rows(text_model, "a photo of a");
  const Tensor first = start_rows(text_model, "a photo of a", 16, 1, 0);
  const Tensor second = start_rows(text_model, "a photo of a", 16, 1, 1);
  EXPECT_EQ(first.sizes(), words.sizes());
  EXPECT_FALSE(first.equal(second));
  EXPECT_LT((first - words).abs().max().item<double>(), 0.1);
  EXPECT_EQ(start_rows(text_model, "", 16, 1, 0).size(0), 16);
  EXPECT_THROW(word_rows(text_model, " "), Error);
}

}  // namespace
}  // namespace openworld

// The loss of guesses against its definition, by autograd.

#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/where.h>
#include <gtest/gtest.h>

#include <cmath>

#include "openworld/io/test_util.h"
#include "openworld/pretrain/init_clip.h"
#include "openworld/pretrain/loss_term.h"
#include "openworld/pretrain/test_icons.h"
#include "openworld/pretrain/test_util.h"

namespace openworld {
namespace {

using at::Tensor;
using testing::TempFolder;
using testing::write_icons;

class GuessTermTest : public ::testing::Test {
 protected:
  GuessTermTest()
      : icons(open_captions(write_icons(folder, "icons", 60, true, 1))),
        drawings(open_captions(write_icons(folder, "drawings", 12, false, 2))),
        words(std::vector<const CaptionSource*>{icons.get()},
              {.min_names = 5, .min_words = 5, .name_share = 0.6}),
        model(make_trained_model(init_clip(small_config(16, {16, 32}), 3), false)) {
    add_word_vectors(model, static_cast<std::int64_t>(words.size()), 4);
    SourceOptions twice;
    twice.views = 2;
    sources = {{icons.get(), twice, 1}, {drawings.get(), twice, 1}};
    options.weights = {.pairs = 0, .guesses = 2};
    options.shards = 3;
    // Two icons, which have names, and three drawings, of which one is seen once.
    for (const auto& [source, view, index] :
         {std::tuple{0, 0, 5}, {0, 1, 5}, {1, 0, 2}, {1, 0, 7}, {1, 1, 7}, {1, 1, 2}, {1, 0, 4}}) {
      batch.images.push_back({.source = static_cast<std::size_t>(source),
                              .view = static_cast<std::size_t>(view),
                              .caption = {1, 0, static_cast<std::size_t>(index)}});
    }
    features = random_tensor({7, 24}, 5).set_requires_grad(true);
  }

  TermValue run() {
    features.mutable_grad() = Tensor();
    std::vector<std::string> texts;
    const auto term = make_guess_term({sources, options, model, &words, runner});
    const auto backward = term->plan(batch, texts);
    EXPECT_TRUE(texts.empty());
    return backward({features, Tensor()});
  }

  Tensor logits(std::int64_t row) const {
    const double scale = std::exp(model.word_scale.item<double>());
    return at::matmul(normalized(model.word_vectors.detach()), normalized(features[row])) * scale;
  }

  // Runs the term and compares it with its definition, by autograd.
  void expect_definition(double balance) {
    const TermValue value = run();
    const Tensor gradient = features.grad().clone();
    features.mutable_grad() = Tensor();
    Tensor loss = at::full({}, 0.0f);
    const Tensor frequency = guessed(2, 5) + guessed(3, 4);
    for (const auto& [first, second] : {std::pair{2, 5}, {3, 4}}) {
      const Tensor p = guessed(first, second);
      Tensor q = p * p / frequency.pow(balance);
      q = q / q.sum();
      q = at::where(q >= 0.01, q, at::full({}, 0.0f));
      q = q / q.sum();
      for (const int row : {first, second}) {
        loss = loss - (q * at::log_softmax(logits(row), 0)).sum() / 4;
      }
    }
    (2 * loss).backward();
    EXPECT_NEAR(value.loss, loss.item<double>(), 1e-5);
    EXPECT_EQ(value.accuracy, 1);
    EXPECT_LT(relative_error(gradient, features.grad()), 1e-4);
    for (const int row : {0, 1, 6}) EXPECT_EQ(gradient[row].abs().max().item<double>(), 0) << row;
  }

  Tensor guessed(int first, int second) const {
    return (at::softmax(logits(first), 0) + at::softmax(logits(second), 0)).detach() / 2;
  }

  TempFolder folder;
  std::unique_ptr<CaptionSource> icons, drawings;
  WordTable words;
  TrainedModel model;
  std::vector<StageSource> sources;
  PretrainOptions options;
  ShownBatch batch;
  Tensor features;
  const PartRunner runner = [](std::size_t n, const std::function<void(std::size_t)>& work) {
    for (std::size_t i = 0; i < n; ++i) work(i);
  };
};

TEST_F(GuessTermTest, AgreesWithItsDefinition) {
  options.confidence = 0;
  expect_definition(0);
}

TEST_F(GuessTermTest, LowersFrequentGuesses) {
  options.confidence = 0;
  options.balance = 0.5;
  expect_definition(0.5);
  const Tensor half = features.grad().clone();
  options.balance = 1;
  expect_definition(1);
  EXPECT_GT(relative_error(half, features.grad()), 1e-3);
}
TEST_F(GuessTermTest, LeavesOutWhatIsNotSure) {
  std::vector<double> best;
  for (const auto& [first, second] : {std::pair{2, 5}, {3, 4}}) {
    best.push_back(guessed(first, second).max().item<double>());
  }
  options.confidence = 0;
  const TermValue all = run();
  options.confidence = (best[0] + best[1]) / 2;  // between them
  const TermValue half = run();
  EXPECT_EQ(half.accuracy, 0.5);
  EXPECT_GT(half.loss, 0);
  EXPECT_LT(half.loss, all.loss);
  const int left_out = best[0] < best[1] ? 2 : 3;
  EXPECT_EQ(features.grad()[left_out].abs().max().item<double>(), 0);
  options.confidence = 1;
  EXPECT_EQ(run().loss, 0);
  EXPECT_FALSE(features.grad().defined());
}

}  // namespace
}  // namespace openworld

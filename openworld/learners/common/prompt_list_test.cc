#include "openworld/learners/common/prompt_list.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <gtest/gtest.h>

#include "openworld/learners/common/prompts.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

using at::Tensor;

const std::vector<std::string> kNames = {"cat", "snow leopard", "fire truck", "zebra"};

Tensor rows_of(const TextModel& text_model, std::int64_t rows) {
  return random_rows(text_model, rows, 3, 0).mul(20);
}

Tensor weights_of(const Tensor& features) {
  return at::arange(features.numel()).reshape(features.sizes()) % 7;
}

// Prompts that read `readers` rows below each sentence.
PromptList readers_of(const TextModel& text_model, std::int32_t readers) {
  std::vector<PromptRow> rows;
  for (std::int32_t k = 0; k < readers; ++k) {
    rows.push_back({.learnable = k, .positioned = false, .visible = false});
  }
  std::vector<Prompt> prompts;
  for (const std::string& name : kNames) {
    prompts.push_back({sentence_rows(text_model, "a photo of a " + name + ".", name), rows});
  }
  return {text_model, std::move(prompts), readers};
}

TEST(ShardCount, RepeatsAtMostAnEighthOfTheRows) {
  const TowerConfig text = vit_b16_config().text;
  // 50 names of four rows behind a start and 16 learned rows, and behind a start and four.
  EXPECT_EQ(shard_count(text, 217, 17), 2);
  EXPECT_EQ(shard_count(text, 205, 5), 4);
  // Where nothing is shared: few large ones, and many where they are large, too.
  EXPECT_EQ(shard_count(text, 450, 1), 4);
  EXPECT_EQ(shard_count(text, 1400, 1), 4);
  EXPECT_EQ(shard_count(text, 1600, 1), 8);
  EXPECT_EQ(shard_count(text, 10'000, 1), 16);
  EXPECT_EQ(shard_count(text, 100, 17), 1);
  for (std::int64_t rows = 1; rows < 3000; rows += 7) {
    for (const std::int64_t shared : {1, 2, 5, 17, 40, 77}) {
      EXPECT_LE((shard_count(text, rows, shared) - 1) * shared * 8, rows) << rows << ' ' << shared;
    }
  }
  // Too little work for threads.
  EXPECT_EQ(shard_count({.width = 64, .layers = 2, .heads = 2, .mlp = 128}, 500, 5), 1);
}

TEST(PromptList, ReadersAreReadInOrderAndDoNotSeeEachOther) {
  const TextModel text_model = oracle_model().text_model(2);
  PromptPool pool(2);
  PromptList three = readers_of(text_model, 3), one = readers_of(text_model, 1);
  EXPECT_EQ(three.features(), 12);
  const Tensor rows = rows_of(text_model, 3);
  const Tensor features = pool.features(three, rows).reshape({4, 3, -1});
  for (std::int64_t k = 0; k < 3; ++k) {
    const Tensor alone = pool.features(one, rows.narrow(0, k, 1));
    EXPECT_LT((features.select(1, k) - alone).abs().max().item<double>(), 1e-5);
  }
  EXPECT_GT((features.select(1, 0) - features.select(1, 1)).abs().max().item<double>(), 1e-2);
}

TEST(PromptList, DeepRowsOfContextAndClassReplaceItsStates) {
  const TextModel text_model = oracle_model().text_model(1);
  PromptPool pool(1);
  const PromptShape shape = {.tokens = 2, .deep_blocks = {1}, .class_block = 2};
  ContextPrompts prompts(text_model, kNames, shape);
  ASSERT_EQ(prompts.rows(), 2 + 2 + 4 * 2);
  const Tensor rows = rows_of(text_model, prompts.rows()).requires_grad_();
  const Tensor features = pool.features(prompts, rows);
  // A class's own rows move its feature and no other.
  Tensor changed = rows.detach().clone();
  changed.narrow(0, 4 + 2 * 2, 2).neg_();
  const Tensor moved = (pool.features(prompts, changed) - features.detach()).abs().amax(1);
  for (std::int64_t c = 0; c < 4; ++c) EXPECT_EQ(moved[c].item<double>() > 1e-4, c == 2) << c;
  // Rows of the input matter by what later rows see of them before they are replaced.
  (features * weights_of(features)).sum().backward();
  for (std::int64_t r = 0; r < rows.size(0); ++r) {
    EXPECT_GT(rows.grad()[r].abs().max().item<double>(), 0) << r;
  }
}

TEST(PromptPool, EncodedFeaturesAreThoseBeforeNormalisation) {
  const TextModel text_model = oracle_model().text_model(1);
  PromptPool pool(1);
  ContextPrompts prompts(text_model, kNames, {.tokens = 2});
  const Tensor rows = rows_of(text_model, 2);
  const Tensor raw = pool.encoded(prompts, rows);
  EXPECT_TRUE(normalized(raw).equal(pool.features(prompts, rows)));
  EXPECT_GT((lengths(raw) - 1).abs().min().item<double>(), 1e-3);
}

TEST(PromptPool, FeaturesOfEachImageDoNotDependOnTheOthers) {
  for (const int threads : {1, 3}) {
    const TextModel text_model = oracle_model().text_model(threads);
    PromptPool pool(threads);
    ContextPrompts prompts(text_model, kNames, {.tokens = 2});
    const Tensor rows = rows_of(text_model, 10).reshape({5, 2, -1});
    const Tensor together = pool.features_of_each(prompts, rows);
    ASSERT_EQ(together.size(1), 4);
    for (std::int64_t i = 0; i < 5; ++i) {
      EXPECT_TRUE(pool.features_of_each(prompts, rows.narrow(0, i, 1))[0].equal(together[i]));
      EXPECT_TRUE(pool.features(prompts, rows[i]).equal(together[i]));
    }
  }
}

TEST(ContextPrompts, WordsStandBetweenContextAndNameAndAfterIt) {
  const TextModel text_model = oracle_model().text_model(1);
  PromptPool pool(1);
  ContextPrompts whole(text_model, kNames, {.tokens = 4});
  ContextPrompts part(text_model, kNames,
                      {.tokens = 2, .before = text_model.tokenizer->encode("of a")});
  const Tensor words = word_rows(text_model, "a photo of a");
  EXPECT_LT((pool.features(whole, words) - pool.features(part, words.narrow(0, 0, 2)))
                .abs()
                .max()
                .item<double>(),
            1e-6);
  ContextPrompts bare(text_model, kNames, {.tokens = 4, .after = ""});
  EXPECT_GT((pool.features(whole, words) - pool.features(bare, words)).abs().max().item<double>(),
            1e-3);
}

}  // namespace
}  // namespace openworld

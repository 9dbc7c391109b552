// Parts of single learners that the oracle does not see, and what they refuse.

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

#include "openworld/base/error.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/gallop.h"
#include "openworld/learners/proda.h"
#include "openworld/learners/promptsrc.h"
#include "openworld/learners/test_util.h"

namespace openworld {
namespace {

TEST(Proda, EveryContextHasItsTurnBeforeOneComesAgain) {
  std::set<std::vector<std::int64_t>> orders;
  for (std::int64_t cycle = 0; cycle < 6; ++cycle) {
    std::vector<std::int64_t> order;
    for (std::int64_t turn = 0; turn < 8; ++turn) {
      for (const std::int64_t k : contexts_of_step(32, 4, 1, 8 * cycle + turn)) order.push_back(k);
    }
    orders.insert(order);
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> all(32);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(order, all);
  }
  EXPECT_EQ(orders.size(), 6u);
  EXPECT_EQ(contexts_of_step(32, 4, 1, 3), contexts_of_step(32, 4, 1, 3));
  EXPECT_NE(contexts_of_step(32, 4, 1, 3), contexts_of_step(32, 4, 2, 3));
}

TEST(Gallop, KeepsPromptsAtRandom) {
  const at::Tensor kept = kept_prompts(4000, 4, 0.75, 1, 0);
  ASSERT_EQ(kept.size(1), 1);
  for (std::int64_t m = 0; m < 4; ++m) {
    const double share = (kept == m).to(at::kDouble).mean().item<double>();
    EXPECT_NEAR(share, 0.25, 0.05);  // seven standard deviations
  }
  EXPECT_FALSE(kept.equal(kept_prompts(4000, 4, 0.75, 1, 1)));
  EXPECT_EQ(kept_prompts(3, 4, 0.5, 1, 0).size(1), 2);
  EXPECT_TRUE(kept_prompts(1, 4, 0, 1, 0).equal(at::arange(4).reshape({1, 4})));
}

TEST(Promptsrc, WeightsOfEpochsAreGaussian) {
  // As released: epoch 15 of 20, deviation 1.
  const std::vector<double> weights = gaussian_weights(20, 15, 1);
  EXPECT_NEAR(weights[14], 0.399, 1e-3);
  EXPECT_NEAR(weights[13], 0.242, 1e-3);
  EXPECT_NEAR(weights[15], 0.242, 1e-3);
  EXPECT_NEAR(weights[12], 0.054, 1e-3);
  EXPECT_NEAR(weights[11], 0.0044, 1e-4);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-12);
  // Far from all epochs the nearest one has everything.
  EXPECT_NEAR(gaussian_weights(3, 1e4, 1)[2], 1, 1e-9);
}

TEST(PromptDepth, IsAtMostThatOfTheTower) {
  EXPECT_EQ(prompt_depth(0, 9, 12, "text"), 9);
  EXPECT_EQ(prompt_depth(0, 9, 3, "text"), 3);
  EXPECT_EQ(prompt_depth(2, 9, 3, "text"), 2);
  try {
    prompt_depth(4, 9, 3, "vision");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()), "[prompts] option depth is 4; the vision tower has 3 blocks");
  }
}

TEST(InitialValues, AreThoseOfTorch) {
  const LinearValues layer = linear_values(25, 400, 1, 0);
  for (const at::Tensor& values : {layer.weight, layer.bias}) {
    EXPECT_LE(values.abs().max().item<double>(), 0.2);
    EXPECT_GT(values.abs().max().item<double>(), 0.19);
    EXPECT_NEAR(values.mean().item<double>(), 0, 0.02);
  }
  EXPECT_NEAR(normal_values({100, 100}, 1, 0).std().item<double>(), 0.02, 0.001);
  EXPECT_LT((lengths(unit_rows(10, 7, 1, 0)) - 1).abs().max().item<double>(), 1e-6);
}

TEST(PromptedLearners, RefuseWhatDoesNotFitTheModel) {
  const TuningTask task = small_setting();
  const std::pair<std::string, std::string> cases[] = {
      {"vpt", "depth=4"},   {"maple", "depth=4"}, {"promptsrc", "depth=4"},
      {"rpo", "tokens=24"}, {"rpo", "tokens=18"}, {"tcp", "block=3"}};
  for (const auto& [method, option] : cases) {
    EXPECT_THROW(make_learner(method, {option}, task), Error) << method << ' ' << option;
  }
  EXPECT_THROW(make_learner("proda", {"tokens=3", "prompts=6", "prompt_batch=4"}, task), Error);
}

TEST(PromptedLearners, NeedTheImagesThemselves) {
  const TuningTask task = small_setting();
  const Episode episode = small_episode(task, 4);
  for (const char* const method : {"vpt", "maple", "promptsrc", "rpo"}) {
    const auto learner = make_learner(method, {"tokens=2"}, task);
    learner->begin_stage(0, episode);
    try {
      learner->loss(0, {.features = episode.features, .labels = episode.labels});
      FAIL() << method;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("expected the images themselves"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace openworld

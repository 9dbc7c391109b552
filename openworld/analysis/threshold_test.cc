#include "openworld/analysis/threshold.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

GuaranteedThreshold run(const TestSet& set, const MissLimit& limit, std::int64_t next = 0) {
  const RankedScores ranked(set.outcomes());
  return guarantee_threshold(Ranking(ranked), limit, next);
}

// Scores on a grid of `levels` values (0: continuous), so that the true miss rate of any threshold
// is known: r = ceil(levels U) / levels, classes wrong with probability `wrong`.
struct Truth {
  int levels;
  double wrong;

  TestSet draw(std::uint64_t seed, int base) const {
    Random random(seed, 31);
    TestSet set;
    for (int i = 0; i < base; ++i) {
      const double u = 1 - random.uniform();
      const double r = levels == 0 ? u : std::ceil(levels * u) / levels;
      set.add(Side::kBase, r, random.uniform() >= wrong);
    }
    for (int i = 0; i < 20; ++i) set.add(Side::kNew, 0.3 * random.uniform(), true);
    return set;
  }
  double miss_rate(double t) const {
    const double below = std::clamp(levels == 0 ? t : std::floor(levels * t) / levels, 0.0, 1.0);
    return wrong + (1 - wrong) * below;
  }
};

// The promise: the true miss rate exceeds alpha in at most delta of all data sets.
TEST(GuaranteedThreshold, HoldsInSimulation) {
  const MissLimit limit{.max_miss = 0.2, .confidence = 0.9};
  const int repetitions = 20000;
  for (const Truth& truth : {Truth{0, 0}, Truth{0, 0.08}, Truth{8, 0.08}, Truth{3, 0}}) {
    int granted = 0, broken = 0;
    for (int i = 0; i < repetitions; ++i) {
      const auto result = run(truth.draw(i, 60), limit);
      if (!result.granted()) continue;
      ++granted;
      broken += truth.miss_rate(result.threshold) > limit.max_miss;
    }
    const double slack = 3 * std::sqrt(0.1 * 0.9 / repetitions);
    EXPECT_LE(broken, (0.1 + slack) * repetitions) << truth.levels << " " << truth.wrong;
    EXPECT_GT(granted, 0.5 * repetitions);
    // For continuous scores the bound is used up, as far as whole misses allow:
    // P(Bin(60, 0.2) <= k*) is between 0.05 and 0.1.
    if (truth.levels == 0) {
      EXPECT_GE(broken, 0.045 * repetitions);
    }
  }
}

// One half chooses, the other half is counted: with ties and wrong classes too.
TEST(GuaranteedThreshold, HoldsForTheNextBatchInSimulation) {
  const MissLimit limit{.max_miss = 0.2, .confidence = 0.9};
  constexpr int kRepetitions = 5000, kHalf = 80;
  for (const Truth& truth : {Truth{0, 0}, Truth{0, 0.05}, Truth{8, 0.05}}) {
    int granted = 0, above_limit = 0, above_promise = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      const auto result = run(truth.draw(2 * i, kHalf), limit, kHalf);
      if (!result.granted()) continue;
      ++granted;
      const TestSet held_out = truth.draw(2 * i + 1, kHalf);
      std::int64_t missed = 0;
      for (std::size_t s = 0; s < held_out.size(); ++s) {
        missed += held_out.side[s] == 0 &&
                  (held_out.score[s] <= result.threshold || !held_out.correct[s]);
      }
      EXPECT_EQ(result.next->samples, kHalf);
      above_promise += missed > result.next->most;
      above_limit += static_cast<double>(missed) > limit.max_miss * kHalf;
    }
    const double slack = 3 * std::sqrt(0.1 * 0.9 / kRepetitions);
    EXPECT_LE(above_promise, (0.1 + slack) * kRepetitions) << truth.levels << " " << truth.wrong;
    EXPECT_GT(granted, 0.9 * kRepetitions);
    if (truth.levels == 0) {
      EXPECT_GE(above_promise, 0.05 * kRepetitions);
      // The limit itself is a promise about the population, not about a batch.
      EXPECT_GT(above_limit, 0.1 * kRepetitions);
    }
  }
}

TEST(GuaranteedThreshold, CountsWhatItReports) {
  for (const Shape& shape : hard_shapes()) {
    Shape large = shape;
    large.base *= 20;
    const TestSet set = random_set(large, 5);
    const auto result = run(set, {.max_miss = 0.6, .confidence = 0.8});
    if (!result.granted()) continue;
    std::int64_t misses = 0, hits = 0, rejected = 0, next = 0;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const bool below = set.score[i] <= result.threshold;
      misses += set.side[i] == 0 && (below || !set.correct[i]);
      hits += set.side[i] == 1 && below && set.correct[i];
      rejected += set.side[i] == -1 && below;
      next += set.side[i] == 0 && (set.score[i] <= result.threshold + 1e-6 || !set.correct[i]);
    }
    EXPECT_EQ(result.miss.count, misses);
    EXPECT_LE(misses, result.allowed_misses);
    EXPECT_GT(next, result.allowed_misses);  // a hair higher would be one too many
    EXPECT_EQ(result.hit ? result.hit->count : 0, hits);
    EXPECT_EQ(result.reject ? result.reject->count : 0, rejected);
    if (result.hit) {
      EXPECT_LE(result.hit->interval.low, result.hit->value);
      EXPECT_GE(result.hit->interval.high, result.hit->value);
    }
  }
}

TEST(GuaranteedThreshold, StaysAFloatForFloatScores) {
  TestSet set;
  for (int i = 0; i < 200; ++i) set.add(Side::kBase, static_cast<float>(20 + 0.1 * i), true);
  const auto result = run(set, {.max_miss = 0.1, .confidence = 0.9});
  ASSERT_TRUE(result.granted());
  EXPECT_EQ(static_cast<double>(static_cast<float>(result.threshold)), result.threshold);
}

// (1 - 0.05)^58 > 0.05 >= (1 - 0.05)^59: Wilks' classical number.
TEST(GuaranteedThreshold, RefusesAndSaysHowManyWouldDo) {
  TestSet set;
  for (int i = 0; i < 58; ++i) set.add(Side::kBase, i, true);
  const MissLimit limit{.max_miss = 0.05, .confidence = 0.95};
  const auto refused = run(set, limit);
  EXPECT_FALSE(refused.granted());
  EXPECT_EQ(refused.samples_needed, 59);
  set.add(Side::kBase, 58, true);
  const auto granted = run(set, limit);
  EXPECT_TRUE(granted.granted());
  EXPECT_EQ(granted.miss.count, 0);
  EXPECT_LT(granted.threshold, 0);
}

TEST(GuaranteedThreshold, RefusesWhenTheClassifierAloneMissesTooMuch) {
  const TestSet set = random_set({.base = 1000, .new_side = 5, .base_acc = 0.5}, 1);
  const auto result = run(set, {.max_miss = 0.1, .confidence = 0.95});
  EXPECT_FALSE(result.granted());
  EXPECT_FALSE(result.samples_needed);
}

TEST(GuaranteedThreshold, NeedsBaseSamples) {
  const TestSet set = random_set({.base = 0, .new_side = 5}, 1);
  EXPECT_THROW(run(set, {}), Error);
}

}  // namespace
}  // namespace openworld

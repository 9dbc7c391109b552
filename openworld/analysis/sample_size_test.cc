#include "openworld/analysis/sample_size.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "openworld/analysis/test_pilots.h"

namespace openworld {
namespace {

// A pilot of 1500 + 1000 samples predicts the spread at sizes above and below, in other ratios. The
// spread over 4000 draws has a standard error of 1.1 %, the pilot's estimate one of about 2 %.
TEST(SampleSize, PredictsTheSpreadAtOtherSizes) {
  const std::vector<const char*> metrics = {"openworld_auc", "open_auc", "auroc",
                                            "base_acc",      "new_acc",  "hm"};
  const TestSet pilot = random_set(shape(1500, 1000), 1);
  for (const auto& [base, other] : {std::pair{100, 100}, {400, 60}, {150, 600}}) {
    const std::vector<double> drawn = drawn_variances(metrics, base, other, 4000);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      const double half =
          predict_study(components_of({pilot}, metrics[m]), {base, other, 1}, 0.95).half_width;
      EXPECT_NEAR(half / (kZ * std::sqrt(drawn[m])), 1, 0.07)
          << metrics[m] << " at " << base << " and " << other;
    }
  }
}

// On a part of the pilot's size, `evaluate` reports intervals as wide as predicted: within 5 % on
// average over 200 test sets. DeLong's intervals are symmetric on the logit scale, Wilson's pulled
// to the middle; at 200 samples that moves half the width by 1 % or 2 %.
TEST(SampleSize, PredictsTheWidthThatEvaluateReports) {
  const TestSet pilot_set = random_set(shape(1500, 1000), 2);
  for (const char* metric : {"openworld_auc", "auroc", "base_acc", "hm"}) {
    const VarianceComponents pilot = components_of({pilot_set}, metric);
    const std::vector<MetricRequest> requests = {find_metric(metric)};
    double reported = 0;
    for (int i = 0; i < 200; ++i) {
      const TestSet set = random_set(shape(200, 150), 500 + i);
      const auto interval = evaluate(set.outcomes(), requests).metrics[0].interval;
      ASSERT_TRUE(interval);
      reported += 0.5 * (interval->high - interval->low) / 200;
    }
    EXPECT_NEAR(predict_study(pilot, {200, 150, 1}, 0.95).half_width / reported, 1, 0.05) << metric;
  }
}

// The variance of the mean over seeds is predicted without the quantiles: at a level of 0.95 half^2
// would have t^2 on one part and z^2 on the other.
double predicted_variance(const VarianceComponents& c, double base, double other, double seeds) {
  const double own = c.base.own / base + c.other.own / other + c.pairs / (base * other);
  return c.base.shared / base + c.other.shared / other + (c.seed + own) / seeds;
}

// A pilot of 40 seeds; a study of 4 seeds on fewer samples, drawn 3000 times. V_seed from 40 seeds
// has a standard error of 23 %, and is here a third to a half of the variance of the mean.
TEST(SampleSize, PredictsTheSpreadOverSeeds) {
  const SeedWorld world;
  const VarianceComponents pilot = components_of(world.draw(800, 600, 40, 77), "auroc");
  EXPECT_GT(pilot.seed, 0);
  EXPECT_GT(pilot.base.shared, 0);
  EXPECT_GT(pilot.base.own, 0);
  for (const auto& [base, other, seeds] : {std::tuple{100, 80, 4}, {300, 100, 2}, {60, 60, 1}}) {
    std::vector<double> means;
    for (int i = 0; i < 3000; ++i) means.push_back(world.mean(base, other, seeds, 5000 + i));
    EXPECT_NEAR(predicted_variance(pilot, base, other, seeds) / variance_of(means), 1, 0.15)
        << base << " and " << other << ", " << seeds << " seeds";
  }
}

// The share of 95 % ranges of pilots that cover the true half-width, which a pilot of a million
// gives. The standard error over 500 pilots is 1.2 %. With few samples the fourth moments come out
// too small, and fewer are covered.
TEST(SampleSize, RangeCoversTheTruth) {
  const StudySize size{500, 500, 1};
  const auto half_width = [&](const TestSet& pilot) {
    return predict_study(components_of({pilot}, "openworld_auc"), size, 0.95);
  };
  const double truth = half_width(random_set(shape(600000, 400000), 1)).half_width;
  const auto covered = [&](int base, int new_side) {
    int count = 0;
    for (int i = 0; i < 500; ++i) {
      const Bounds range = half_width(random_set(shape(base, new_side), 700 + i)).range;
      count += range.low <= truth && truth <= range.high;
    }
    return count / 500.0;
  };
  EXPECT_NEAR(covered(60, 40), 0.90, 0.04);
  EXPECT_NEAR(covered(300, 200), 0.95, 0.03);
}

// Two seeds that differ by no more than their samples: V_seed is 0 and its error large.
TEST(SampleSize, RangeContainsTheEstimate) {
  VarianceComponents pilot = components_of(SeedWorld{}.draw(300, 200, 2, 6), "auroc");
  pilot.seed = 0;
  for (const std::int64_t samples : {100, 10'000, 1'000'000}) {
    const PlannedStudy study = predict_study(pilot, {samples, samples, 2}, 0.95);
    EXPECT_LT(study.range.low, study.half_width);
    EXPECT_GT(study.range.high, study.half_width);
    EXPECT_LT(study.range.high, 32 * study.half_width);  // sqrt(1 / 0.000982)
  }
}

VarianceComponents one_seed(const char* metric = "openworld_auc") {
  return components_of({random_set(shape(300, 200), 6)}, metric);
}

// Three seeds that differ beyond their samples.
VarianceComponents three_seeds() {
  return components_of(SeedWorld{}.draw(300, 200, 3, 6), "auroc");
}

TEST(SampleSize, PlanIsTheSmallestThatWillDo) {
  for (const char* metric : {"openworld_auc", "auroc", "hm"}) {
    const VarianceComponents pilot = one_seed(metric);
    for (const double half : {0.2, 0.05, 0.01, 0.001}) {
      const SampleSize result = sample_size(pilot, {.half_width = half});
      const StudySize& size = result.plan.size;
      EXPECT_LE(result.plan.half_width, half) << metric;
      EXPECT_NEAR(static_cast<double>(size.other), size.base * 200.0 / 300, 1) << metric;
      if (size.other <= 2) continue;
      EXPECT_GT(predict_study(pilot, {size.base - 1, size.other - 1, 1}, 0.95).half_width, half);
    }
  }
}

TEST(SampleSize, CheapestIsCheapestOfAllRatios) {
  const VarianceComponents pilot = one_seed();
  const SampleSize best = sample_size(pilot, {.half_width = 0.01});
  ASSERT_TRUE(best.cheapest);
  EXPECT_LE(best.cheapest->half_width, 0.01);
  const std::int64_t fewest = best.cheapest->size.base + best.cheapest->size.other;
  for (const double ratio : {0.1, 0.4, 0.6, 0.8, 0.9, 1.0, 1.1, 1.3, 2.0, 10.0}) {
    const SampleSize other = sample_size(pilot, {.half_width = 0.01, .ratio = ratio});
    EXPECT_NEAR(static_cast<double>(other.plan.size.other), ratio * other.plan.size.base, 1);
    EXPECT_GE(other.plan.size.base + other.plan.size.other + 2, fewest) << ratio;
  }
}

TEST(SampleSize, SolvesForWhatIsLeftFree) {
  const VarianceComponents pilot = one_seed();
  const SampleSize free = sample_size(pilot, {.half_width = 0.02});
  const std::int64_t base = free.plan.size.base, other = free.plan.size.other;
  const StudySize by_base = sample_size(pilot, {.half_width = 0.02, .base = base}).plan.size;
  EXPECT_NEAR(static_cast<double>(by_base.other), static_cast<double>(other), 5);
  const StudySize by_other = sample_size(pilot, {.half_width = 0.02, .other = other}).plan.size;
  EXPECT_NEAR(static_cast<double>(by_other.base), static_cast<double>(base), 5);
  const SampleSize fixed = sample_size(pilot, {.half_width = 0.02, .base = 9, .other = 9});
  EXPECT_EQ(fixed.plan.size.base, 9);
  EXPECT_GT(fixed.plan.half_width, 0.02);
  EXPECT_FALSE(fixed.cheapest);
}

TEST(SampleSize, MetricsOfOneSideNeedNoOther) {
  const StudySize base = sample_size(one_seed("base_acc"), {.half_width = 0.02}).plan.size;
  EXPECT_GT(base.base, 1000);
  EXPECT_EQ(base.other, 0);
  const StudySize other = sample_size(one_seed("new_acc"), {.half_width = 0.02}).plan.size;
  EXPECT_EQ(other.base, 0);
  EXPECT_GT(other.other, 1000);
}

// z^2 p (1 - p) n / (n - 1) / h^2, the textbook's number for a proportion: 0.75 of 4 gives
// 3.8415 * 0.25 / 0.05^2 = 384.15.
TEST(SampleSize, ProportionByHand) {
  TestSet set;
  for (const bool right : {true, true, true, false}) set.add(Side::kBase, 1, right);
  const SampleSize result = sample_size(components_of({set}, "base_acc"), {.half_width = 0.05});
  EXPECT_EQ(result.plan.size.base, 385);
}

TEST(SampleSize, SeedsAndSamplesTradeOff) {
  const VarianceComponents pilot = three_seeds();
  ASSERT_GT(pilot.seed, 0);
  const SampleSize result = sample_size(pilot, {.half_width = 0.08});
  ASSERT_GE(result.by_seeds.size(), 3u);
  for (std::size_t i = 1; i < result.by_seeds.size(); ++i) {
    EXPECT_GT(result.by_seeds[i].size.seeds, result.by_seeds[i - 1].size.seeds);
    EXPECT_LE(result.by_seeds[i].size.base, result.by_seeds[i - 1].size.base);
    EXPECT_LE(result.by_seeds[i].half_width, 0.08);
  }
  // The pilot's own half-width by the formula of the header.
  const double t = student_t_quantile(0.975, 2);
  const double shared = pilot.base.shared / 300 + pilot.other.shared / 200;
  const double own =
      pilot.seed + pilot.base.own / 300 + pilot.other.own / 200 + pilot.pairs / (300 * 200);
  EXPECT_NEAR(result.pilot.half_width, std::sqrt(kZ * kZ * shared + t * t * own / 3), 1e-12);
}

TEST(SampleSize, FindsTheSeeds) {
  const VarianceComponents pilot = three_seeds();
  // The pilot's three cannot do: as few as leave half of the square to the samples.
  const double half = 0.5 * std::sqrt(pilot.seed);
  const auto seed_part = [&](std::size_t seeds) {
    return std::pow(student_t_quantile(0.975, seeds - 1.0), 2) * pilot.seed / seeds;
  };
  ASSERT_GT(seed_part(3), half * half);
  const std::size_t chosen = sample_size(pilot, {.half_width = half}).plan.size.seeds;
  EXPECT_LE(seed_part(chosen), 0.5 * half * half);
  EXPECT_GT(seed_part(chosen - 1), 0.5 * half * half);
  // Samples given, seeds wanted.
  const StudySize found =
      sample_size(pilot, {.half_width = 0.06, .base = 5000, .other = 5000}).plan.size;
  EXPECT_LE(predict_study(pilot, found, 0.95).half_width, 0.06);
  EXPECT_GT(predict_study(pilot, {5000, 5000, found.seeds - 1}, 0.95).half_width, 0.06);
  // One seed: that model alone, without the variance over seeds.
  const PlannedStudy alone = predict_study(pilot, {300, 200, 1}, 0.95);
  EXPECT_NEAR(alone.half_width, kZ * std::sqrt(predicted_variance(pilot, 300, 200, 1) - pilot.seed),
              1e-12);
}

TEST(SampleSize, RefusesWhatCannotBe) {
  const VarianceComponents one = one_seed(), three = three_seeds();
  const auto why = [](const VarianceComponents& pilot, const SampleSizeRequest& request) {
    return refusal([&] { sample_size(pilot, request); });
  };
  const auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  for (const double half : {0.0, -0.1, 0.5, std::nan("")}) {
    says(why(one, {.half_width = half}), "expected a number between 0 and 0.5");
  }
  says(why(one, {.half_width = 0.1, .level = 1}), "level is 1; expected");
  says(why(one, {.half_width = 0.1, .ratio = 0}), "ratio is 0; expected a number above 0");
  says(why(one, {.half_width = 0.1, .base = 1}), "base is 1; expected two samples or more");
  says(why(one, {.half_width = 0.1, .other = 0}), "new is 0; expected two samples or more");
  says(why(one, {.half_width = 0.1, .seeds = 0}), "seeds is 0; expected 1 to 1000000");
  says(why(one, {.half_width = 0.1, .ratio = 1, .base = 9}), "both a ratio and a number");
  says(why(one, {.half_width = 0.1, .seeds = 3}), "a pilot of one, which has no variance");
  says(why(one, {.half_width = 0.01, .base = 100}), "100 base samples are too few");
  says(why(one, {.half_width = 0.01, .other = 100}), "100 new samples are too few");
  says(why(one, {.half_width = 1e-9}), "expected a half-width that 1e15 can give");
  says(why(three, {.half_width = 0.01, .seeds = 2}), "2 seeds give a half-width of at least");
  says(why(three, {.half_width = 0.01, .seeds = 2}), "seeds or more");
  says(why(three, {.half_width = 0.01, .base = 50, .other = 50}), "with any number of seeds");
  says(why(three, {.half_width = 1e-6}), "more than 1000000 seeds needed");
}

}  // namespace
}  // namespace openworld

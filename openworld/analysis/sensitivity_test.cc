#include "openworld/analysis/sensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

enum Column { kColumnBase, kColumnNew, kColumnHm, kColumnAuroc, kColumnOverall, kColumnOpenworld };

// The sizes of Flowers102, halved.
TestSet flowers() {
  return random_set({.base = 527, .new_side = 705, .base_acc = 0.97, .new_acc = 0.76}, 9);
}

TEST(OverallAtRatio, IsOverallAccAtTheNaturalRatio) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_NEAR(overall_at_ratio(ranking, 705.0 / 527).value, overall_acc(ranking).value, 1e-15);
}

// A set whose new samples are all doubled has twice the ratio.
TEST(OverallAtRatio, IsOverallAccOfARepeatedSet) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  std::vector<std::uint8_t> weights(set.size(), 1);
  for (std::size_t i = 0; i < set.size(); ++i) {
    const int kind = ranked.codes()[i] & kKindMask;
    if (kind == kNewRight || kind == kNewWrong) weights[i] = 2;
  }
  EXPECT_NEAR(overall_at_ratio(Ranking(ranked), 2 * 705.0 / 527).value,
              overall_acc(Ranking(ranked, weights)).value, 1e-15);
}

TEST(OverallAtRatio, TakesTheTwoStagesAtAThresholdWhereThereAreNoFlags) {
  TestSet set;
  for (const double r : {0.9, 0.8, 0.3}) set.add(Side::kBase, r, r != 0.8);
  for (const double r : {0.7, 0.4, 0.2, 0.1}) set.add(Side::kNew, r, r != 0.1);
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_FALSE(overall_at_ratio(ranking, 1).defined());
  // 0.9 is accepted and right; 0.4 and 0.2 are rejected and right.
  EXPECT_NEAR(overall_at_ratio(ranking, 0, {.threshold = 0.5}).value, 1.0 / 3, 1e-15);
  EXPECT_NEAR(overall_at_ratio(ranking, 3, {.threshold = 0.5}).value, (1.0 / 3 + 3 * 0.5) / 4,
              1e-15);
  EXPECT_THROW(overall_at_ratio(ranking, -1), Error);
  EXPECT_THROW(overall_at_ratio(ranking, std::nan("")), Error);
  EXPECT_THROW(overall_at_ratio(ranking, INFINITY), Error);
}

TEST(RatioSensitivity, KeepsOneSideWholeAndMeetsTheRatio) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const Ranking whole(ranked);
  std::vector<double> ratios(kPaperRatios.begin(), kPaperRatios.end());
  ratios.push_back(1.2);  // between 1 and the natural ratio
  const Sensitivity s = ratio_sensitivity(ranked, {.ratios = ratios});
  ASSERT_EQ(s.rows.size(), 11u);
  for (const SensitivityRow& row : s.rows) {
    const double ratio = static_cast<double>(row.new_side) / static_cast<double>(row.base);
    EXPECT_NEAR(ratio / row.ratio, 1, 0.01);
    if (row.ratio > 705.0 / 527) {
      EXPECT_EQ(row.new_side, 705);
      EXPECT_EQ(row.values[kColumnNew].value, new_acc(whole).value);
    } else {
      EXPECT_EQ(row.base, 527);
      EXPECT_EQ(row.values[kColumnBase].value, base_acc(whole).value);
    }
    const double b = row.values[kColumnBase].value, n = row.values[kColumnNew].value;
    EXPECT_NEAR(row.values[kColumnHm].value, 2 * b * n / (b + n), 1e-15);
    EXPECT_LE(row.values[kColumnOpenworld].value, b * n);
  }
}

// Three base classes of 30, 7 and 1 samples, two new ones of 11 and 40, and unknown samples.
TEST(RatioSensitivity, ThinsEveryClassByTheSameShare) {
  TestSet set;
  std::vector<std::int32_t> labels;
  const auto add = [&](Side side, std::int32_t label, int count) {
    for (int i = 0; i < count; ++i) {
      set.add(side, 0.01 * static_cast<double>(labels.size()), i % 3 == 0);
      labels.push_back(label);
    }
  };
  add(Side::kBase, 0, 30);
  add(Side::kNew, 1, 40);
  add(Side::kBase, 2, 1);
  add(Side::kUnknown, 0, 5);
  add(Side::kBase, 1, 7);
  add(Side::kNew, 0, 11);
  Outcomes outcomes = set.outcomes();
  outcomes.label = labels;
  const RankedScores ranked(outcomes, RankedScores::Keep::kOrder);
  const struct {
    double ratio;
    std::int64_t base, new_side;
  } rows[] = {
      {1, 38, 51}, {5, 6 + 1 + 1, 51}, {0.2, 38, 8 + 2}, {0.1, 38, 4 + 1}, {2, 15 + 3 + 1, 51}};
  for (const auto& [ratio, base, new_side] : rows) {
    const std::vector<double> ratios = {ratio};
    const Sensitivity s = ratio_sensitivity(ranked, {.ratios = ratios, .relative = true});
    EXPECT_EQ(s.rows[0].base, base) << ratio;
    EXPECT_EQ(s.rows[0].new_side, new_side) << ratio;
  }
  // Every sample of a class is kept equally often: class 0 of the base side, thinned to half, has
  // BaseAcc 1/3 on average.
  const std::vector<double> half = {2};
  const Sensitivity s =
      ratio_sensitivity(ranked, {.ratios = half, .relative = true, .repeats = 4000});
  const double expected = (15 * (10.0 / 30) + 3 * (3.0 / 7) + 1) / 19;
  EXPECT_NEAR(s.rows[0].values[kColumnBase].value, expected, 0.005);
}

// The first and the last two rows of Table 12 differ in what is thinned; the row of ratio 1 is the
// test set as it is.
TEST(RatioSensitivity, RelativeRatiosAreMultiplesOfTheNaturalOne) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const Sensitivity s = ratio_sensitivity(ranked, {.relative = true});
  EXPECT_EQ(s.rows[0].base, 53);
  EXPECT_EQ(s.rows[0].new_side, 705);
  EXPECT_EQ(s.rows[9].base, 527);
  EXPECT_EQ(s.rows[9].new_side, 71);
  for (std::size_t m = 0; m < kSensitivityMetrics.size(); ++m) {
    EXPECT_EQ(s.rows[4].values[m].value,
              kSensitivityMetrics[m]->compute(Ranking(ranked), {}).value);
  }
}

// OverallAcc follows the closed form, the pair metrics stay, and both do so on average.
TEST(RatioSensitivity, OnlyOverallAccMovesWithTheRatio) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const Ranking whole(ranked);
  const Sensitivity s = ratio_sensitivity(ranked, {.repeats = 200, .seed = 3});
  for (const SensitivityRow& row : s.rows) {
    const double ratio = static_cast<double>(row.new_side) / static_cast<double>(row.base);
    EXPECT_NEAR(row.values[kColumnOverall].value, overall_at_ratio(whole, ratio).value, 0.003);
    EXPECT_NEAR(row.values[kColumnAuroc].value, auroc(whole).value, 0.005);
    EXPECT_NEAR(row.values[kColumnOpenworld].value, openworld_auc(whole).value, 0.005);
  }
  EXPECT_GT(s.variance[kColumnOverall].value, 100 * s.variance[kColumnOpenworld].value);
}

TEST(RatioSensitivity, MeanAndSampleVarianceAreOverTheRatios) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const std::array<double, 3> ratios = {4, 1, 0.25};
  const Sensitivity s = ratio_sensitivity(ranked, {.ratios = ratios});
  for (std::size_t m = 0; m < kSensitivityMetrics.size(); ++m) {
    const double a = s.rows[0].values[m].value, b = s.rows[1].values[m].value;
    const double c = s.rows[2].values[m].value, mean = (a + b + c) / 3;
    EXPECT_NEAR(s.mean[m].value, mean, 1e-15);
    const double squares = std::pow(a - mean, 2) + std::pow(b - mean, 2) + std::pow(c - mean, 2);
    EXPECT_NEAR(s.variance[m].value, squares / 2, 1e-15);
  }
  const std::array<double, 1> one = {2};
  EXPECT_FALSE(ratio_sensitivity(ranked, {.ratios = one}).variance[kColumnHm].defined());
}

TEST(RatioSensitivity, IsDeterministicInTheSeed) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const auto auroc_at_10 = [&](std::uint64_t seed) {
    return ratio_sensitivity(ranked, {.seed = seed}).rows[0].values[kColumnAuroc].value;
  };
  EXPECT_EQ(auroc_at_10(1), auroc_at_10(1));
  EXPECT_NE(auroc_at_10(1), auroc_at_10(2));
  const std::array<double, 2> twice = {10, 10};
  const Sensitivity s = ratio_sensitivity(ranked, {.ratios = twice, .seed = 1});
  EXPECT_EQ(s.rows[0].values[kColumnAuroc].value, auroc_at_10(1));
  EXPECT_NE(s.rows[1].values[kColumnAuroc].value, auroc_at_10(1));
}

TEST(RatioSensitivity, TinySidesKeepASample) {
  const TestSet set = random_set({.base = 1, .new_side = 3}, 2);
  const RankedScores ranked(set.outcomes());
  for (const SensitivityRow& row : ratio_sensitivity(ranked).rows) {
    EXPECT_EQ(row.base, 1);
    EXPECT_GE(row.new_side, 1);
  }
}

TEST(RatioSensitivity, RefusesWhatItCannotDo) {
  const TestSet set = flowers();
  const RankedScores ranked(set.outcomes());
  const std::array<double, 1> zero = {0};
  EXPECT_THROW(ratio_sensitivity(ranked, {.ratios = zero}), Error);
  EXPECT_THROW(ratio_sensitivity(ranked, {.ratios = {}}), Error);
  EXPECT_THROW(ratio_sensitivity(ranked, {.repeats = 0}), Error);
  const TestSet only_base = random_set({.base = 5, .new_side = 0}, 1);
  const TestSet only_new = random_set({.base = 0, .new_side = 5}, 1);
  EXPECT_THROW(ratio_sensitivity(RankedScores(only_base.outcomes())), Error);
  EXPECT_THROW(ratio_sensitivity(RankedScores(only_new.outcomes())), Error);
  TestSet no_flags = set;
  no_flags.overall_correct.clear();
  const RankedScores bare(no_flags.outcomes());
  EXPECT_FALSE(ratio_sensitivity(bare).mean[kColumnOverall].defined());
  EXPECT_TRUE(ratio_sensitivity(bare, {.metric = {.threshold = 0}}).mean[kColumnOverall].defined());
}

}  // namespace
}  // namespace openworld

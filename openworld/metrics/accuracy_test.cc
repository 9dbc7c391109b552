// BaseAcc, NewAcc, HM and OverallAcc from their definitions, and the coverage of their intervals.

#include "openworld/metrics/accuracy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/metrics/hm.h"
#include "openworld/metrics/overall_acc.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

// Mean of the flags over the samples of a side.
double mean(const TestSet& set, const std::vector<std::uint8_t>& flags, Side side) {
  double sum = 0, n = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.side[i] != static_cast<int>(side)) continue;
    sum += flags[i];
    ++n;
  }
  return sum / n;
}

// A set of the given counts; the scores do not matter.
TestSet counted(int base_right, int base, int new_right, int new_side) {
  TestSet set;
  for (int i = 0; i < base; ++i) set.add(Side::kBase, i, i < base_right);
  for (int i = 0; i < new_side; ++i) set.add(Side::kNew, i, i < new_right);
  set.overall_correct = set.correct;
  return set;
}

MetricValue value(const MetricRow& row, const TestSet& set) {
  const RankedScores ranked(set.outcomes());
  return row.compute(Ranking(ranked), {});
}

std::optional<Interval> interval(const MetricRow& row, const TestSet& set) {
  const RankedScores ranked(set.outcomes());
  return row.interval(Ranking(ranked), {}, 0.95);
}

TEST(Accuracy, EqualsItsDefinition) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 4);
    const double b = mean(set, set.correct, Side::kBase), n = mean(set, set.correct, Side::kNew);
    EXPECT_EQ(value(kBaseAcc, set).value, b);
    EXPECT_EQ(value(kNewAcc, set).value, n);
    EXPECT_NEAR(value(kHm, set).value, b + n > 0 ? 2 / (1 / b + 1 / n) : 0, 1e-15);
    const double base = shape.base, new_side = shape.new_side;
    EXPECT_NEAR(value(kOverallAcc, set).value,
                (base * mean(set, set.overall_correct, Side::kBase) +
                 new_side * mean(set, set.overall_correct, Side::kNew)) /
                    (base + new_side),
                1e-15);
  }
}

// Table 11 of the OpenworldAUC paper, first row: BaseAcc 83.06, NewAcc 55.80, HM 66.75.
TEST(Hm, EqualsThePaper) {
  EXPECT_NEAR(value(kHm, counted(8306, 10000, 5580, 10000)).value, 0.6675, 1e-4);
}

TEST(Hm, IsZeroWhereEitherSideIs) {
  EXPECT_EQ(value(kHm, counted(0, 5, 3, 5)).value, 0);
  EXPECT_EQ(value(kHm, counted(0, 5, 0, 5)).value, 0);
  EXPECT_FALSE(interval(kHm, counted(0, 5, 0, 5)));
}

TEST(Accuracy, IsUndefinedWithoutItsSamples) {
  const TestSet only_new = random_set({.base = 0, .new_side = 5}, 1);
  const TestSet only_base = random_set({.base = 5, .new_side = 0, .unknown = 5}, 1);
  EXPECT_EQ(value(kBaseAcc, only_new).why, "no base samples");
  EXPECT_EQ(value(kNewAcc, only_base).why, "no new samples");
  EXPECT_EQ(value(kHm, only_new).why, "no base samples");
  EXPECT_EQ(value(kHm, only_base).why, "no new samples");
  EXPECT_FALSE(interval(kHm, only_new));
  const TestSet only_unknown = random_set({.base = 0, .new_side = 0, .unknown = 5}, 1);
  EXPECT_EQ(value(kOverallAcc, only_unknown).why, "no base or new samples");
  EXPECT_FALSE(interval(kOverallAcc, only_unknown));
  EXPECT_FALSE(interval(kBaseAcc, only_new));
  TestSet no_flags = random_set({}, 1);
  no_flags.overall_correct.clear();
  EXPECT_NE(value(kOverallAcc, no_flags).why.find("overall_correct"), std::string::npos);
  EXPECT_FALSE(interval(kOverallAcc, no_flags));
}

// One side alone: the share of its samples that is right among all names, with Wilson's interval.
TEST(OverallAcc, IsThatOfTheSideThatIsThere) {
  for (const int n_base : {0, 60}) {
    TestSet set = random_set({.base = n_base, .new_side = 60 - n_base, .unknown = 5}, 1);
    for (std::size_t i = 0, known = 0; i < set.side.size(); ++i) {
      set.overall_correct[i] = set.side[i] >= 0 && known++ < 45;
    }
    EXPECT_EQ(value(kOverallAcc, set).value, 0.75);
    const auto wilson = interval(kOverallAcc, set);
    ASSERT_TRUE(wilson);
    EXPECT_NEAR(wilson->low, 0.6276792992295218, 1e-9);
    EXPECT_NEAR(wilson->high, 0.8422347746994333, 1e-9);
  }
}

// scipy.stats.binomtest(45, 60).proportion_ci(method="wilson").
TEST(Accuracy, IntervalIsWilson) {
  const auto wilson = interval(kBaseAcc, counted(45, 60, 1, 1));
  ASSERT_TRUE(wilson);
  EXPECT_NEAR(wilson->low, 0.6276792992295218, 1e-9);
  EXPECT_NEAR(wilson->high, 0.8422347746994333, 1e-9);
  EXPECT_EQ(wilson->method, "wilson");
}

TEST(Accuracy, IntervalsHoldTheirValueAndStayInRange) {
  for (const int b : {0, 1, 10, 19, 20}) {
    for (const int n : {0, 1, 10, 29, 30}) {
      const TestSet set = counted(b, 20, n, 30);
      for (const MetricRow* row : {&kBaseAcc, &kNewAcc, &kHm, &kOverallAcc}) {
        const auto i = interval(*row, set);
        if (row == &kHm && b + n == 0) continue;
        ASSERT_TRUE(i);
        EXPECT_LE(0, i->low);
        EXPECT_LE(i->low, value(*row, set).value);
        EXPECT_LE(value(*row, set).value, i->high);
        EXPECT_LE(i->high, 1);
        EXPECT_LT(i->low, i->high) << row->info.name << ": no width at " << b << ", " << n;
      }
    }
  }
}

TEST(Accuracy, IntervalsCoverTheTruth) {
  const double b = 0.85, n = 0.6;
  const int base = 60, new_side = 90, repetitions = 2000;
  const MetricRow* rows[] = {&kBaseAcc, &kNewAcc, &kHm, &kOverallAcc};
  const double truth[] = {b, n, 2 * b * n / (b + n), (base * b + new_side * n) / (base + new_side)};
  int covered[4] = {};
  Random random(21);
  const auto draw = [&](int trials, double p) {
    int right = 0;
    for (int i = 0; i < trials; ++i) right += random.uniform() < p;
    return right;
  };
  for (int k = 0; k < repetitions; ++k) {
    const int base_right = draw(base, b);
    const TestSet set = counted(base_right, base, draw(new_side, n), new_side);
    for (int m = 0; m < 4; ++m) {
      const auto i = interval(*rows[m], set);
      covered[m] += i->low <= truth[m] && truth[m] <= i->high;
    }
  }
  for (int m = 0; m < 4; ++m) {
    EXPECT_GE(covered[m], 0.93 * repetitions) << rows[m]->info.name;
    EXPECT_LE(covered[m], 0.97 * repetitions) << rows[m]->info.name;
  }
}

}  // namespace
}  // namespace openworld

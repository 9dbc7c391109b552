#include "openworld/analysis/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

// Two models whose scores share a common part: `gap` is how much better the second separates.
std::pair<TestSet, TestSet> two_models(std::uint64_t seed, int n, double gap) {
  Random random(seed, 5);
  TestSet a, b;
  for (int i = 0; i < 2 * n; ++i) {
    const Side side = i < n ? Side::kBase : Side::kNew;
    const double common = random.normal(), lift = side == Side::kBase ? 1 : 0;
    const bool hard = random.uniform() < 0.3;
    a.add(side, common + 0.5 * random.normal() + lift, !hard || random.uniform() < 0.3);
    b.add(side, common + 0.5 * random.normal() + lift * (1 + gap), !hard || random.uniform() < 0.3);
    a.overall_correct.push_back(a.correct.back());
    b.overall_correct.push_back(b.correct.back());
  }
  return {a, b};
}

// Under no difference a p-value is below 5 % five times in a hundred; with one it is found.
TEST(Compare, HoldsItsLevelAndHasPower) {
  const auto requests = find_metrics("auroc,openworld_auc,base_acc");
  const int repetitions = 2000;
  int rejected[3] = {}, found = 0;
  for (int i = 0; i < repetitions; ++i) {
    const auto [a, b] = two_models(i, 120, 0);
    const auto results = compare(a.outcomes(), b.outcomes(), requests);
    for (int m = 0; m < 3; ++m) {
      ASSERT_TRUE(results[m].p_value);
      rejected[m] += *results[m].p_value < 0.05;
    }
    if (i < 200) {
      const auto [c, d] = two_models(i, 120, 0.5);
      found += *compare(c.outcomes(), d.outcomes(), requests)[0].p_value < 0.05;
    }
  }
  for (const int m : {0, 1}) {
    EXPECT_GT(rejected[m], 0.035 * repetitions);
    EXPECT_LT(rejected[m], 0.065 * repetitions);
  }
  EXPECT_LT(rejected[2], 0.055 * repetitions);  // McNemar's exact test is conservative
  EXPECT_GT(found, 160);
}

TEST(Compare, BootstrapAgreesWithDelong) {
  const auto [a, b] = two_models(3, 300, 0.2);
  const auto requests = find_metrics("openworld_auc");
  const auto closed = compare(a.outcomes(), b.outcomes(), requests)[0];
  EvalOptions options{.ci = Ci::kBootstrap};
  options.bootstrap.resamples = 3000;
  const auto drawn = compare(a.outcomes(), b.outcomes(), requests, options)[0];
  EXPECT_EQ(closed.difference, drawn.difference);
  EXPECT_EQ(closed.test, "delong");
  EXPECT_EQ(drawn.test, "bootstrap");
  EXPECT_NEAR(closed.interval->low, drawn.interval->low, 0.006);
  EXPECT_NEAR(closed.interval->high, drawn.interval->high, 0.006);
  EXPECT_NEAR(*closed.p_value, *drawn.p_value, 0.06);
}

// McNemar's exact test on 1 against 9 discordant pairs: 2 P(Bin(10, 1/2) <= 1) = 22 / 1024.
TEST(Compare, McnemarWorkedExample) {
  TestSet a, b;
  for (int i = 0; i < 40; ++i) {
    a.add(Side::kBase, i, i < 1 || i >= 10);
    b.add(Side::kBase, i, i >= 1);
  }
  const auto result = compare(a.outcomes(), b.outcomes(), find_metrics("base_acc"))[0];
  EXPECT_NEAR(*result.p_value, 22.0 / 1024, 1e-12);
  EXPECT_EQ(result.test, "mcnemar");
  EXPECT_NEAR(result.difference, 8.0 / 40, 1e-15);
}

TEST(Compare, AModelDoesNotDifferFromItself) {
  const TestSet set = random_set({.base = 30, .new_side = 30}, 2);
  for (const auto& result :
       compare(set.outcomes(), set.outcomes(), find_metrics("auroc,base_acc"))) {
    EXPECT_EQ(result.difference, 0);
    EXPECT_EQ(result.p_value, 1);
    EXPECT_FALSE(result.interval);
    EXPECT_FALSE(result.why.empty());
  }
}

TEST(Compare, RefusesOtherSamples) {
  const TestSet a = random_set({.base = 30, .new_side = 30}, 2);
  const TestSet shorter = random_set({.base = 30, .new_side = 29}, 2);
  TestSet moved = a;
  moved.side[7] = 1;
  EXPECT_THROW(compare(a.outcomes(), shorter.outcomes(), find_metrics("auroc")), Error);
  EXPECT_THROW(compare(a.outcomes(), moved.outcomes(), find_metrics("auroc")), Error);
}

// Holm (1979) on 0.01, 0.04, 0.03: 3 x 0.01, then max with 2 x 0.03, then 1 x 0.04 held up.
TEST(Holm, WorkedExample) {
  const double p[] = {0.01, 0.04, 0.03};
  const auto adjusted = holm_adjust(p);
  EXPECT_NEAR(adjusted[0], 0.03, 1e-15);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-15);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-15);
}

}  // namespace
}  // namespace openworld

#include "openworld/metrics/delong.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/metrics/auroc.h"
#include "openworld/metrics/open_auc.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

double phi(double base, double other, Ties ties) {
  if (base > other) return 1;
  return base == other && ties == Ties::kHalf ? 0.5 : 0;
}

// Placements and their variance by the O(n m) definition.
double variance_by_definition(const TestSet& set, const UStatistic& statistic) {
  const auto& [kernel, ties] = statistic;
  std::vector<double> of_base, of_other;
  const auto takes = [&](std::size_t i, bool must_be_right) {
    return !must_be_right || set.correct[i];
  };
  const auto is = [&](std::size_t i, Side side) { return set.side[i] == static_cast<int>(side); };
  double n_base = 0, n_other = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    n_base += is(i, Side::kBase);
    n_other += is(i, kernel.open);
  }
  for (std::size_t i = 0; i < set.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < set.size(); ++j) {
      const bool pair = is(i, Side::kBase) && is(j, kernel.open);
      const bool swapped = is(j, Side::kBase) && is(i, kernel.open);
      if (!pair && !swapped) continue;
      const std::size_t b = pair ? i : j, o = pair ? j : i;
      if (!takes(b, kernel.base_must_be_right) || !takes(o, kernel.other_must_be_right)) continue;
      sum += phi(set.score[b], set.score[o], ties);
    }
    if (is(i, Side::kBase)) of_base.push_back(sum / n_other);
    if (is(i, kernel.open)) of_other.push_back(sum / n_base);
  }
  const auto variance_of_mean = [](const std::vector<double>& v) {
    double mean = 0, squares = 0;
    for (const double x : v) mean += x / static_cast<double>(v.size());
    for (const double x : v) squares += (x - mean) * (x - mean);
    return squares / static_cast<double>(v.size() - 1) / static_cast<double>(v.size());
  };
  return variance_of_mean(of_base) + variance_of_mean(of_other);
}

std::vector<UStatistic> every_statistic() {
  std::vector<UStatistic> all;
  for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
    for (const Side open : {Side::kNew, Side::kUnknown}) {
      all.push_back({kAuroc.kernel(open), ties});
      all.push_back({kOpenAuc.kernel(open), ties});
    }
    all.push_back({kOpenworldAuc.kernel(Side::kNew), ties});
  }
  return all;
}

TEST(Delong, VarianceEqualsItsDefinition) {
  for (const Shape& shape : hard_shapes()) {
    if (shape.base < 2 || shape.new_side < 2 || shape.unknown < 2) continue;
    const TestSet set = random_set(shape, 21);
    const RankedScores ranked(set.outcomes());
    const auto statistics = every_statistic();
    const auto variances = delong_variances(Ranking(ranked), statistics);
    ASSERT_EQ(variances.size(), statistics.size());
    for (std::size_t i = 0; i < statistics.size(); ++i) {
      EXPECT_NEAR(variances[i], variance_by_definition(set, statistics[i]), 1e-14);
    }
  }
}

TEST(Delong, PlacementsAverageToTheMetric) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 22);
    const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
    const Ranking ranking(ranked);
    for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
      const auto values = placements(ranking, {kOpenworldAuc.kernel(Side::kNew), ties});
      double base = 0, new_side = 0;
      for (std::size_t i = 0; i < set.size(); ++i) {
        if (set.side[i] == 0) base += values[i] / shape.base;
        if (set.side[i] == 1) new_side += values[i] / shape.new_side;
        if (set.side[i] == -1) {
          EXPECT_EQ(values[i], 0);
        }
      }
      const double expected = openworld_auc(ranking, {.ties = ties}).value;
      EXPECT_NEAR(base, expected, 1e-13);
      EXPECT_NEAR(new_side, expected, 1e-13);
    }
  }
}

// The value and variance that pROC and the confidenceinterval package document for AUROC reduce to
// this by hand: base {3, 2, 2}, new {1, 2}; placements 1, 3/4, 3/4 and 1, 2/3.
TEST(Delong, WorkedExample) {
  TestSet set;
  for (const double r : {3.0, 2.0, 2.0}) set.add(Side::kBase, r, true);
  for (const double r : {1.0, 2.0}) set.add(Side::kNew, r, true);
  const RankedScores ranked(set.outcomes());
  const UStatistic statistic{kAuroc.kernel(Side::kNew), Ties::kHalf};
  const double base = 1.0 / 48, new_side = 1.0 / 18;  // sample variances of the placements
  EXPECT_NEAR(delong_variances(Ranking(ranked), {&statistic, 1})[0], base / 3 + new_side / 2,
              1e-15);
}

TEST(Delong, LogitIntervalStaysInside) {
  double low = 0, high = 0;
  logit_interval(0.99, 0.01 * 0.01, 0.95, low, high);
  EXPECT_GT(low, 0.9);
  EXPECT_LT(low, 0.99);
  EXPECT_GT(high, 0.99);
  EXPECT_LT(high, 1);
}

}  // namespace
}  // namespace openworld

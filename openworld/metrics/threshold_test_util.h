#pragma once

// What the tests of threshold metrics share: rates straight from their definitions, the sets they
// are checked on, and the properties every one of them has.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "openworld/metrics/metric.h"
#include "openworld/metrics/test_util.h"

namespace openworld {

using Compute = std::function<MetricValue(const Ranking&)>;

inline std::int64_t count_of(const TestSet& set, Side side) {
  return std::count(set.side.begin(), set.side.end(), static_cast<std::int8_t>(side));
}

// How many rows of a side satisfy f(row).
template <class F>
std::int64_t count_if(const TestSet& set, Side side, F&& f) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    count += set.side[i] == static_cast<int>(side) && f(i);
  }
  return count;
}

template <class F>
double rate_of(const TestSet& set, Side side, F&& f) {
  return static_cast<double>(count_if(set, side, f)) / static_cast<double>(count_of(set, side));
}

// -infinity and the distinct scores of the two sides, ascending.
inline std::vector<double> thresholds_of(const TestSet& set, Side open) {
  std::set<double> distinct = {-std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set.side[i] == 0 || set.side[i] == static_cast<int>(open)) distinct.insert(set.score[i]);
  }
  return {distinct.begin(), distinct.end()};
}

// f(set, ranking, open) for hard sets and each open side that has samples.
template <class F>
void for_each_hard_set(F&& f) {
  for (const Shape& shape : hard_shapes()) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const TestSet set = random_set(shape, seed);
      const RankedScores ranked(set.outcomes());
      for (const Side open : {Side::kNew, Side::kUnknown}) {
        if (count_of(set, open) > 0) f(set, Ranking(ranked), open);
      }
    }
  }
}

inline void expect_same(const MetricValue& actual, const MetricValue& expected) {
  EXPECT_EQ(actual.why, expected.why);
  EXPECT_EQ(actual.defined(), expected.defined());
  if (expected.defined()) {
    EXPECT_NEAR(actual.value, expected.value, 1e-14);
  }
  EXPECT_EQ(actual.threshold, expected.threshold);
}

// A resample is the set with each sample repeated as often as its weight says.
inline void expect_weights_are_repetitions(const Compute& compute) {
  for (const Shape& shape : hard_shapes()) {
    const TestSet set = random_set(shape, 11);
    const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
    Random random(5);
    std::vector<std::uint8_t> weights(set.size());
    TestSet repeated;
    for (std::size_t rank = 0; rank < set.size(); ++rank) {
      weights[rank] = static_cast<std::uint8_t>(random.below(4) * random.below(2));
      const std::uint32_t row = ranked.order()[rank];
      for (int k = 0; k < weights[rank]; ++k) {
        repeated.add(Side{set.side[row]}, set.score[row], set.correct[row]);
      }
    }
    if (repeated.size() == 0) continue;
    const RankedScores again(repeated.outcomes());
    expect_same(compute(Ranking(ranked, weights)), compute(Ranking(again)));
  }
}

// Only the order of the scores matters; thresholds are mapped with them.
inline void expect_monotone_maps_change_nothing(const Compute& compute) {
  const TestSet set = random_set({.base = 200, .new_side = 150, .unknown = 50, .distinct = 30}, 3);
  const auto map = [](double r) { return std::exp(r / 3) - 1e3; };
  TestSet mapped = set;
  for (double& r : mapped.score) r = map(r);
  const RankedScores a(set.outcomes()), b(mapped.outcomes());
  MetricValue expected = compute(Ranking(a));
  if (expected.threshold && std::isfinite(*expected.threshold)) {
    expected.threshold = map(*expected.threshold);
  }
  expect_same(compute(Ranking(b)), expected);
}

inline void expect_empty_sides_are_named(const Compute& compute, const char* no_open) {
  const TestSet only_base = random_set({.base = 5, .new_side = 0}, 1);
  const RankedScores a(only_base.outcomes());
  EXPECT_EQ(compute(Ranking(a)).why, no_open);
  EXPECT_TRUE(std::isnan(compute(Ranking(a)).value));
  const TestSet only_new = random_set({.base = 0, .new_side = 5}, 1);
  const RankedScores b(only_new.outcomes());
  EXPECT_EQ(compute(Ranking(b)).why, "no base samples");
}

// Ten base and ten new samples with ties, all right: the set of the values from scikit-learn.
//
//   base = [.9, .8, .8, .7, .6, .6, .5, .5, .3, .2]
//   new = [.8, .6, .5, .5, .4, .4, .3, .2, .1, .1]
//   y, r = np.r_[np.ones(10), np.zeros(10)], np.r_[base, new]
inline TestSet golden_set() {
  TestSet set;
  for (const double r : {.9, .8, .8, .7, .6, .6, .5, .5, .3, .2}) set.add(Side::kBase, r, true);
  for (const double r : {.8, .6, .5, .5, .4, .4, .3, .2, .1, .1}) set.add(Side::kNew, r, true);
  return set;
}

}  // namespace openworld

// Recall at precision against the published rule and against its name.

#include "openworld/metrics/recall_at_precision.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.5, 0.9, 0.95, 0.99, 1};

struct Expected {
  double recall = -1, nearest_precision = -1, exact = -1;
};

Expected by_definition(const TestSet& set, Side open, double q) {
  Expected expected;
  double distance = 2;
  for (const double t : thresholds_of(set, open)) {
    const auto accepted = [&](std::size_t i) { return set.score[i] > t; };
    const auto tp = static_cast<double>(count_if(set, Side::kBase, accepted));
    const auto fp = static_cast<double>(count_if(set, open, accepted));
    const double recall = tp / static_cast<double>(count_of(set, Side::kBase));
    const double precision = tp + fp > 0 ? tp / (tp + fp) : 1;
    if (tp + fp > 0 && precision >= q) expected.exact = std::max(expected.exact, recall);
    if (std::abs(precision - q) < distance) {
      distance = std::abs(precision - q);
      expected.recall = recall;
      expected.nearest_precision = precision;
    }
  }
  return expected;
}

TEST(RecallAtPrecision, EqualsItsDefinition) {
  int achieved = 0, missed = 0, never = 0;
  for_each_hard_set([&](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double q : kRates) {
      const MetricOptions options{.open = open, .params = {q}};
      const Expected expected = by_definition(set, open, q);
      const MetricValue value = recall_at_precision(ranking, options);
      if (std::abs(expected.nearest_precision - q) < 0.01) {
        EXPECT_EQ(value.value, expected.recall);
        ++achieved;
      } else {
        EXPECT_TRUE(value.why.starts_with("not achieved: nearest precision is ")) << value.why;
        ++missed;
      }
      const MetricValue exact = recall_at_precision_exact(ranking, options);
      if (expected.exact >= 0) {
        EXPECT_EQ(exact.value, expected.exact);
        const auto accepted = [&](std::size_t i) { return set.score[i] > *exact.threshold; };
        EXPECT_EQ(rate_of(set, Side::kBase, accepted), exact.value);
      } else {
        EXPECT_FALSE(exact.defined());
        ++never;
      }
    }
  });
  EXPECT_GT(achieved, 0);
  EXPECT_GT(missed, 0);
  EXPECT_GT(never, 0);
}

// scikit-learn 1.2.1: p, q, t = precision_recall_curve(y, r); q[argmin(|p - x|)] and
// q[p >= x].max().
TEST(RecallAtPrecision, EqualsScikitLearn) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_EQ(recall_at_precision(ranking, {.params = {0.95}}).why,
            "not achieved: nearest precision is 1.000");
  EXPECT_EQ(recall_at_precision(ranking, {.params = {0.8}}).value, 0.4);
  EXPECT_EQ(recall_at_precision(ranking, {.params = {0.5}}).value, 1);
  EXPECT_EQ(recall_at_precision_exact(ranking, {.params = {0.95}}).value, 0.1);
  EXPECT_EQ(recall_at_precision_exact(ranking, {.params = {0.8}}).value, 0.4);
}

TEST(RecallAtPrecision, NamesTheHighestPrecisionWhenNoneIsEnough) {
  TestSet set;
  for (const double r : {0.9, 0.3}) set.add(Side::kNew, r, true);
  for (const double r : {0.8, 0.7}) set.add(Side::kBase, r, true);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(recall_at_precision_exact(Ranking(ranked), {.params = {0.95}}).why,
            "precision 0.95 is never reached; the highest is 0.667");
}

TEST(RecallAtPrecision, HasThePropertiesOfARanking) {
  for (const double q : kRates) {
    const MetricOptions options{.params = {q}};
    for (const auto compute : {recall_at_precision, recall_at_precision_exact}) {
      const auto at_q = [&](const Ranking& ranking) { return compute(ranking, options); };
      expect_weights_are_repetitions(at_q);
      expect_monotone_maps_change_nothing(at_q);
      expect_empty_sides_are_named(at_q, "no unknown samples");
    }
  }
}

}  // namespace
}  // namespace openworld

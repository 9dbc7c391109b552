// Precision at recall against the published rule and against its name.

#include "openworld/metrics/precision_at_recall.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.5, 0.9, 0.95, 0.99, 1};

struct Expected {
  double precision = -1, nearest_recall = -1, exact = -1;
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
    if (tp + fp > 0 && recall >= q) expected.exact = std::max(expected.exact, precision);
    if (std::abs(recall - q) < distance) {
      distance = std::abs(recall - q);
      expected.precision = precision;
      expected.nearest_recall = recall;
    }
  }
  return expected;
}

TEST(PrecisionAtRecall, EqualsItsDefinition) {
  int achieved = 0, missed = 0;
  for_each_hard_set([&](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double q : kRates) {
      const MetricOptions options{.open = open, .params = {q}};
      const Expected expected = by_definition(set, open, q);
      const MetricValue value = precision_at_recall(ranking, options);
      if (std::abs(expected.nearest_recall - q) < 0.01) {
        EXPECT_EQ(value.value, expected.precision);
        ++achieved;
      } else {
        EXPECT_TRUE(value.why.starts_with("not achieved: nearest recall is ")) << value.why;
        ++missed;
      }
      const MetricValue exact = precision_at_recall_exact(ranking, options);
      EXPECT_EQ(exact.value, expected.exact);
      const auto accepted = [&](std::size_t i) { return set.score[i] > *exact.threshold; };
      EXPECT_GE(rate_of(set, Side::kBase, accepted), q);
    }
  });
  EXPECT_GT(achieved, 0);
  EXPECT_GT(missed, 0);
}

// scikit-learn 1.2.1: p, q, t = precision_recall_curve(y, r); p[argmin(|q - x|)] and
// p[q >= x].max().
TEST(PrecisionAtRecall, EqualsScikitLearn) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_EQ(precision_at_recall(ranking, {.params = {0.95}}).why,
            "not achieved: nearest recall is 0.900");
  EXPECT_EQ(precision_at_recall(ranking, {.params = {0.9}}).value, 0.5625);
  EXPECT_NEAR(precision_at_recall(ranking, {.params = {0.8}}).value, 0.5714285714285714, 1e-15);
  EXPECT_NEAR(precision_at_recall_exact(ranking, {.params = {0.95}}).value, 0.5555555555555556,
              1e-15);
  EXPECT_NEAR(precision_at_recall_exact(ranking, {.params = {0.8}}).value, 0.6666666666666666,
              1e-15);
}

TEST(PrecisionAtRecall, HasThePropertiesOfARanking) {
  for (const double q : kRates) {
    const MetricOptions options{.params = {q}};
    for (const auto compute : {precision_at_recall, precision_at_recall_exact}) {
      const auto at_q = [&](const Ranking& ranking) { return compute(ranking, options); };
      expect_weights_are_repetitions(at_q);
      expect_monotone_maps_change_nothing(at_q);
      expect_empty_sides_are_named(at_q, "no unknown samples");
    }
  }
}

TEST(PrecisionAtRecall, ARecallAboveOneIsUndefined) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(precision_at_recall_exact(Ranking(ranked), {.params = {1.5}}).why,
            "no threshold has a recall of 1.5");
}

}  // namespace
}  // namespace openworld

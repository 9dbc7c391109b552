// Error at TPR against the published rule, followed line by line.

#include "openworld/metrics/error_at_tpr.h"

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.5, 0.9, 0.95, 0.99, 1};

double by_definition(const TestSet& set, Side open, double q) {
  const auto called = [&](double s, bool strict) {
    return [&set, s, strict](std::size_t i) {
      return strict ? -set.score[i] > s : -set.score[i] >= s;
    };
  };
  // Thresholds of the open score -r, descending, the first above all of them.
  std::vector<double> thresholds;
  for (const double r : thresholds_of(set, open)) thresholds.push_back(-r);
  double nearest = 2, at = 0;
  for (const double s : thresholds) {
    const double d = std::abs(rate_of(set, open, called(s, false)) - q);
    if (d <= nearest) {
      nearest = d;
      at = s;
    }
  }
  const std::int64_t right = count_if(set, open, called(at, true)) + count_of(set, Side::kBase) -
                             count_if(set, Side::kBase, called(at, true));
  const std::int64_t all = count_of(set, Side::kBase) + count_of(set, open);
  return static_cast<double>(all - right) / static_cast<double>(all);
}

TEST(ErrorAtTpr, EqualsItsDefinition) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    for (const double q : kRates) {
      const MetricOptions options{.open = open, .params = {q}};
      const MetricValue error = error_at_tpr(ranking, options);
      EXPECT_EQ(error.value, by_definition(set, open, q));
      const auto as_base = [&](std::size_t i) { return set.score[i] > *error.threshold; };
      const std::int64_t wrong = count_of(set, Side::kBase) - count_if(set, Side::kBase, as_base) +
                                 count_if(set, open, as_base);
      const std::int64_t all = count_of(set, Side::kBase) + count_of(set, open);
      EXPECT_EQ(error.value, static_cast<double>(wrong) / static_cast<double>(all));
    }
  });
}

// scikit-learn 1.2.1: fpr, tpr, t = roc_curve(1 - y, -r, drop_intermediate=False);
// 1 - accuracy_score(1 - y, -r > t[i]) at the last i that minimises |tpr - q|.
TEST(ErrorAtTpr, EqualsScikitLearn) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_NEAR(error_at_tpr(ranking, {.params = {0.95}}).value, 0.35, 1e-15);
  EXPECT_NEAR(error_at_tpr(ranking, {.params = {0.8}}).value, 0.3, 1e-15);
  EXPECT_NEAR(error_at_tpr(ranking, {.params = {0.5}}).value, 0.4, 1e-15);
}

// The published rule calls the group at the threshold base: here all of it, although TPR = 1.
TEST(ErrorAtTpr, OfOneGroupIsTheShareOfOpenSamples) {
  TestSet set;
  for (int i = 0; i < 3; ++i) set.add(Side::kBase, 1, true);
  set.add(Side::kUnknown, 1, true);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(error_at_tpr(Ranking(ranked), {.params = {0.95}}).value, 0.25);
}

TEST(ErrorAtTpr, HasThePropertiesOfARanking) {
  for (const double q : kRates) {
    const auto at_q = [&](const Ranking& r) { return error_at_tpr(r, {.params = {q}}); };
    expect_weights_are_repetitions(at_q);
    expect_monotone_maps_change_nothing(at_q);
    expect_empty_sides_are_named(at_q, "no unknown samples");
  }
}

}  // namespace
}  // namespace openworld

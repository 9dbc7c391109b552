// AUPR against the definition of average precision and of its trapezoid.

#include "openworld/metrics/aupr.h"

#include <utility>

#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

// (recall, precision) of calling positive all samples at least as positive as a score, from the
// most positive score on, after the end point (0, 1).
std::vector<std::pair<double, double>> pr_points(const TestSet& set, Side open, bool base) {
  std::vector<std::pair<double, double>> points = {{0, 1}};
  const Side positive = base ? Side::kBase : open, negative = base ? open : Side::kBase;
  std::vector<double> scores = thresholds_of(set, open);
  scores.erase(scores.begin());
  if (base) std::reverse(scores.begin(), scores.end());
  for (const double s : scores) {
    const auto called = [&](std::size_t i) { return base ? set.score[i] >= s : set.score[i] <= s; };
    const auto tp = static_cast<double>(count_if(set, positive, called));
    const auto fp = static_cast<double>(count_if(set, negative, called));
    points.push_back({tp / static_cast<double>(count_of(set, positive)), tp / (tp + fp)});
  }
  return points;
}

double step_area(const std::vector<std::pair<double, double>>& points) {
  double area = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    area += (points[k].first - points[k - 1].first) * points[k].second;
  }
  return area;
}

double trapezoid_area(const std::vector<std::pair<double, double>>& points) {
  double area = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    area += (points[k].first - points[k - 1].first) * (points[k].second + points[k - 1].second) / 2;
  }
  return area;
}

TEST(Aupr, EqualsItsDefinition) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    const MetricOptions options{.open = open};
    const auto base = pr_points(set, open, true), other = pr_points(set, open, false);
    EXPECT_NEAR(aupr_base(ranking, options).value, step_area(base), 1e-14);
    EXPECT_NEAR(aupr_new(ranking, options).value, step_area(other), 1e-14);
    EXPECT_NEAR(aupr_base_trapezoid(ranking, options).value, trapezoid_area(base), 1e-14);
    EXPECT_NEAR(aupr_new_trapezoid(ranking, options).value, trapezoid_area(other), 1e-14);
  });
}

// Groups that end in another block than they begin in, and blocks without an end.
TEST(Aupr, DoesNotSeeBlocks) {
  for (const int distinct : {0, 3, 200}) {
    const TestSet set =
        random_set({.base = 5000, .new_side = 4000, .unknown = 900, .distinct = distinct}, 7);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    double base = 0, other = 0, tp = 0, all = 0;
    ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
      const auto positives = static_cast<double>(below.new_samples());
      all = static_cast<double>(below.base() + below.new_samples());
      if (all > 0) other += (positives - tp) / 4000 * positives / all;
      tp = positives;
      return true;
    });
    KindCounts before;
    ranking.for_each_group([&](std::size_t, const KindCounts& group) {
      const auto kept = static_cast<double>(5000 - before.base());
      const auto accepted = kept + static_cast<double>(4000 - before.new_samples());
      if (accepted > 0) base += static_cast<double>(group.base()) / 5000 * kept / accepted;
      before += group;
    });
    EXPECT_NEAR(aupr_base(ranking).value, base, 1e-13);
    EXPECT_NEAR(aupr_new(ranking).value, other, 1e-13);
  }
}

// scikit-learn 1.2.1: average_precision_score(y, r), average_precision_score(1 - y, -r), and
// auc(recall, precision) of precision_recall_curve for the same two.
TEST(Aupr, EqualsScikitLearn) {
  const TestSet set = golden_set();
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  EXPECT_NEAR(aupr_base(ranking).value, 0.7251388888888889, 1e-15);
  EXPECT_NEAR(aupr_new(ranking).value, 0.7376315789473684, 1e-15);
  EXPECT_NEAR(aupr_base_trapezoid(ranking).value, 0.7617658730158728, 1e-15);
  EXPECT_NEAR(aupr_new_trapezoid(ranking).value, 0.7594407894736841, 1e-15);
}

TEST(Aupr, OfOneGroupIsTheShareOfPositives) {
  TestSet set;
  for (int i = 0; i < 3; ++i) set.add(Side::kBase, 1, true);
  set.add(Side::kNew, 1, true);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(aupr_base(Ranking(ranked)).value, 0.75);
  EXPECT_EQ(aupr_new(Ranking(ranked)).value, 0.25);
}

TEST(Aupr, HasThePropertiesOfARanking) {
  for (const auto compute : {aupr_base, aupr_new, aupr_base_trapezoid, aupr_new_trapezoid}) {
    const auto plain = [&](const Ranking& ranking) { return compute(ranking, {}); };
    expect_weights_are_repetitions(plain);
    expect_monotone_maps_change_nothing(plain);
    expect_empty_sides_are_named(plain, "no new samples");
  }
}

}  // namespace
}  // namespace openworld

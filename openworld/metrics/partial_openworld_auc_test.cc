// Partial OpenworldAUC against the curve of its definition, integrated numerically.

#include "openworld/metrics/partial_openworld_auc.h"

#include <utility>

#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

constexpr double kRates[] = {0, 0.1, 0.35, 0.5, 0.77, 1};

// (MissRate, HitRate) at every threshold, ascending.
std::vector<std::pair<double, double>> miss_hit_points(const TestSet& set) {
  std::vector<std::pair<double, double>> points;
  for (const double t : thresholds_of(set, Side::kNew)) {
    const double miss = rate_of(
        set, Side::kBase, [&](std::size_t i) { return set.score[i] <= t || !set.correct[i]; });
    const double hit = rate_of(set, Side::kNew,
                               [&](std::size_t i) { return set.score[i] <= t && set.correct[i]; });
    points.push_back({miss, hit});
  }
  return points;
}

// The area up to a and above b by the midpoint rule, whose only error is in the slices in which a
// or b cuts a line.
double by_midpoints(const TestSet& set, double a, double b, Ties ties) {
  constexpr int kSlices = 2000;
  const auto points = miss_hit_points(set);
  double area = 0;
  for (std::size_t k = 1; k < points.size(); ++k) {
    const auto [x0, y0] = points[k - 1];
    const auto [x1, y1] = points[k];
    const double width = (std::min(x1, a) - x0) / kSlices;
    if (width <= 0) continue;
    for (int slice = 0; slice < kSlices; ++slice) {
      const double x = x0 + (slice + 0.5) * width;
      const double y = ties == Ties::kHalf ? y0 + (x - x0) / (x1 - x0) * (y1 - y0) : y0;
      area += width * std::max(y - b, 0.0);
    }
  }
  return area;
}

TEST(PartialOpenworldAuc, EqualsItsIntegral) {
  int undefined_values = 0;
  for_each_hard_set([&](const TestSet& set, const Ranking& ranking, Side open) {
    if (open != Side::kNew || set.size() > 200) return;
    const double start = rate_of(set, Side::kBase, [&](std::size_t i) { return !set.correct[i]; });
    for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
      for (const double a : kRates) {
        for (const double b : {0.0, 0.2, 0.5}) {
          const MetricOptions options{.ties = ties, .params = {a, b}};
          const MetricValue two_way = two_way_openworld_auc(ranking, options);
          if (start > a) {
            EXPECT_TRUE(two_way.why.starts_with("the classifier alone misses "));
            ++undefined_values;
            continue;
          }
          EXPECT_NEAR(two_way.value, by_midpoints(set, a, b, ties), 1e-6);
          EXPECT_LE(two_way.value, (a - start) * (1 - b) + 1e-15);
          if (b == 0) {
            EXPECT_EQ(partial_openworld_auc(ranking, options).value, two_way.value);
          }
        }
      }
    }
  });
  EXPECT_GT(undefined_values, 0);
}

TEST(PartialOpenworldAuc, IsOpenworldAucWhenNothingIsCut) {
  for_each_hard_set([](const TestSet&, const Ranking& ranking, Side) {
    for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
      const MetricOptions options{.ties = ties, .params = {1, 0}};
      const double whole = openworld_auc(ranking, options).value;
      EXPECT_EQ(partial_openworld_auc(ranking, options).value, whole);
      EXPECT_EQ(two_way_openworld_auc(ranking, options).value, whole);
    }
  });
}

// One group of two base and two new samples is the line from (0, 0) to (1, 1).
TEST(PartialOpenworldAuc, CutsALineExactly) {
  TestSet set;
  for (int i = 0; i < 2; ++i) {
    set.add(Side::kBase, 1, true);
    set.add(Side::kNew, 1, true);
  }
  const RankedScores ranked(set.outcomes());
  const Ranking ranking(ranked);
  const MetricOptions half{.ties = Ties::kHalf, .params = {0.5, 0.25}};
  EXPECT_DOUBLE_EQ(partial_openworld_auc(ranking, half).value, 0.125);
  EXPECT_DOUBLE_EQ(two_way_openworld_auc(ranking, half).value, 0.03125);
  EXPECT_EQ(partial_openworld_auc(ranking, {.params = {0.5}}).value, 0);
}

TEST(PartialOpenworldAuc, HasThePropertiesOfARanking) {
  for (const Ties ties : {Ties::kStrict, Ties::kHalf}) {
    for (const double a : kRates) {
      const MetricOptions options{.ties = ties, .params = {a, 0.15}};
      for (const auto compute : {partial_openworld_auc, two_way_openworld_auc}) {
        const auto cut = [&](const Ranking& ranking) { return compute(ranking, options); };
        expect_weights_are_repetitions(cut);
        expect_monotone_maps_change_nothing(cut);
        expect_empty_sides_are_named(cut, "no new samples");
      }
    }
  }
}

}  // namespace
}  // namespace openworld

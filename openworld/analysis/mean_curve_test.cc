#include "openworld/analysis/mean_curve.h"

#include <gtest/gtest.h>

#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

Curve curve_of(std::vector<CurvePoint> points) {
  Curve curve;
  curve.points = std::move(points);
  return curve;
}

TEST(MeanCurve, AveragesHeights) {
  const Curve curves[] = {curve_of({{0.5, 0}, {1, 1}}),
                          curve_of({{0.25, 0}, {0.25, 0.5}, {1, 0.5}})};
  const auto mean = mean_curve(curves, 4);
  ASSERT_EQ(mean.size(), 4u);  // from 0.25 on
  const double heights[] = {0.25, 0.25, 0.5, 0.75};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(mean[i].x, 0.25 * static_cast<double>(i + 1));
    EXPECT_EQ(mean[i].y, heights[i]) << i;
  }
}

// The area below is the mean OpenworldAUC.
TEST(MeanCurve, KeepsTheArea) {
  std::vector<Curve> curves;
  double areas = 0;
  for (int seed = 0; seed < 3; ++seed) {
    const TestSet set =
        random_set({.base = 60, .new_side = 50, .base_acc = 0.5 + 0.2 * seed}, seed);
    const RankedScores ranked(set.outcomes());
    curves.push_back(make_curve(Ranking(ranked), CurveKind::kMissHit));
    areas += curves.back().area.value / 3;
  }
  const auto mean = mean_curve(curves, 2000);
  double area = 0;
  for (std::size_t i = 1; i < mean.size(); ++i) {
    area += (mean[i].x - mean[i - 1].x) * (mean[i].y + mean[i - 1].y) / 2;
  }
  EXPECT_NEAR(area, areas, 0.001);
}

}  // namespace
}  // namespace openworld

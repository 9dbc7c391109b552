// Curves against the rates of their definitions and the areas of their metrics.

#include "openworld/analysis/curve.h"

#include "openworld/base/error.h"
#include "openworld/metrics/aupr.h"
#include "openworld/metrics/threshold_test_util.h"

namespace openworld {
namespace {

double trapezoid_area(const Curve& curve) {
  double area = 0;
  for (std::size_t k = 1; k < curve.points.size(); ++k) {
    const CurvePoint &a = curve.points[k - 1], &b = curve.points[k];
    area += (b.x - a.x) * (a.y + b.y) / 2;
  }
  return area;
}

CurvePoint by_definition(const TestSet& set, CurveKind kind, Side open, double t) {
  const auto accepted = [&](std::size_t i) { return set.score[i] > t; };
  const auto accepted_right = [&](std::size_t i) { return set.score[i] > t && set.correct[i]; };
  const auto found = [&](std::size_t i) { return set.score[i] <= t && set.correct[i]; };
  const double tpr = rate_of(set, Side::kBase, accepted);
  const auto tp = static_cast<double>(count_if(set, Side::kBase, accepted));
  const auto fp = static_cast<double>(count_if(set, open, accepted));
  switch (kind) {
    case CurveKind::kMissHit:
      return {1 - rate_of(set, Side::kBase, accepted_right), rate_of(set, Side::kNew, found), t};
    case CurveKind::kRoc:
      return {rate_of(set, open, accepted), tpr, t};
    case CurveKind::kPr:
      return {tpr, tp + fp > 0 ? tp / (tp + fp) : 1, t};
    case CurveKind::kCotprOfpr:
      return {rate_of(set, open, accepted), rate_of(set, Side::kBase, accepted_right), t};
  }
  return {};
}

TEST(Curve, PointsAreTheRatesAtTheirThresholds) {
  for_each_hard_set([](const TestSet& set, const Ranking& ranking, Side open) {
    for (const CurveRow& row : curve_table()) {
      if (row.kind == CurveKind::kMissHit && open != Side::kNew) continue;
      const Curve curve = make_curve(ranking, row.kind, {.open = open});
      double last = -1;
      for (const CurvePoint& point : curve.points) {
        const CurvePoint expected = by_definition(set, row.kind, open, point.threshold);
        EXPECT_NEAR(point.x, expected.x, 1e-15);
        EXPECT_NEAR(point.y, expected.y, 1e-15);
        EXPECT_GE(point.x, last);
        last = point.x;
      }
      EXPECT_EQ(curve.max_error, 0);
    }
  });
}

TEST(Curve, AreaIsTheMetricAndTheAreaOfAllPoints) {
  for_each_hard_set([](const TestSet&, const Ranking& ranking, Side open) {
    for (const CurveRow& row : curve_table()) {
      const MetricOptions options{.ties = Ties::kHalf, .open = open};
      const Curve curve = make_curve(ranking, row.kind, {.open = open});
      EXPECT_EQ(curve.area.value, row.metric->compute(ranking, options).value);
      const double expected = row.kind == CurveKind::kPr
                                  ? aupr_base_trapezoid(ranking, options).value
                                  : curve.area.value;
      EXPECT_NEAR(trapezoid_area(curve), expected, 1e-14);
      EXPECT_EQ(make_curve(ranking, row.kind, {.open = open}, 3).area.value, curve.area.value);
    }
  });
}

// The vertical distance of a point from a polyline, which may rise straight up at the point's x.
double distance(const Curve& drawn, const CurvePoint& point) {
  double nearest = 2;
  for (std::size_t k = 1; k < drawn.points.size(); ++k) {
    const CurvePoint &a = drawn.points[k - 1], &b = drawn.points[k];
    if (point.x < a.x || point.x > b.x) continue;
    if (a.x == b.x) {
      const double low = std::min(a.y, b.y), high = std::max(a.y, b.y);
      nearest = std::min(nearest, std::max({low - point.y, point.y - high, 0.0}));
    } else {
      const double y = a.y + (point.x - a.x) / (b.x - a.x) * (b.y - a.y);
      nearest = std::min(nearest, std::abs(point.y - y));
    }
  }
  return nearest;
}

TEST(Curve, ThinningKeepsTheEndsAndStatesItsError) {
  for (const double separation : {-1.0, 0.0, 1.0, 6.0}) {
    for (const int distinct : {0, 300}) {
      const TestSet set = random_set(
          {.base = 900, .new_side = 700, .distinct = distinct, .separation = separation}, 21);
      const RankedScores ranked(set.outcomes());
      const Ranking ranking(ranked);
      for (const CurveRow& row : curve_table()) {
        const Curve all = make_curve(ranking, row.kind);
        double last_error = 2;
        for (const std::size_t max_points : {2, 5, 20, 100, 100000}) {
          const Curve thin = make_curve(ranking, row.kind, {}, max_points);
          EXPECT_LE(thin.points.size(), max_points);
          EXPECT_EQ(thin.points.front().threshold, all.points.front().threshold);
          EXPECT_EQ(thin.points.back().threshold, all.points.back().threshold);
          double error = 0;
          for (const CurvePoint& point : all.points) {
            error = std::max(error, distance(thin, point));
          }
          EXPECT_LE(error, thin.max_error + 1e-15);
          EXPECT_LE(thin.max_error, 1);
          if (max_points >= 100) {
            EXPECT_LT(thin.max_error, 0.05) << row.name;
          }
          last_error = thin.max_error;
        }
        EXPECT_EQ(last_error, 0);
      }
    }
  }
}

// More distinct scores than are held at once.
TEST(Curve, StreamsManyPoints) {
  for (const double separation : {-0.5, 3.0}) {
    const TestSet set =
        random_set({.base = 60000, .new_side = 50000, .separation = separation}, 22);
    const RankedScores ranked(set.outcomes());
    const Ranking ranking(ranked);
    for (const CurveRow& row : curve_table()) {
      const Curve all = make_curve(ranking, row.kind);
      const Curve thin = make_curve(ranking, row.kind, {}, 1000);
      EXPECT_GT(all.points.size(), 65536u);
      EXPECT_LE(thin.points.size(), 1000u);
      EXPECT_GT(thin.max_error, 0);
      EXPECT_LT(thin.max_error, 0.005) << row.name;
      EXPECT_NEAR(trapezoid_area(thin), trapezoid_area(all), thin.max_error);
      double error = 0;
      for (std::size_t i = 0; i < all.points.size(); i += 101) {
        error = std::max(error, distance(thin, all.points[i]));
      }
      EXPECT_LE(error, thin.max_error + 1e-15);
    }
  }
}

TEST(Curve, WeightsAreRepetitions) {
  for (const CurveRow& row : curve_table()) {
    expect_weights_are_repetitions([&](const Ranking& ranking) {
      const Curve curve = make_curve(ranking, row.kind);
      if (!curve.area.defined()) return curve.area;
      return MetricValue{.value = trapezoid_area(curve),
                         .threshold = curve.points[curve.points.size() / 2].threshold};
    });
  }
}

TEST(Curve, AnEmptySideHasNoPointsAndSaysWhy) {
  const TestSet set = random_set({.base = 5, .new_side = 0}, 1);
  const RankedScores ranked(set.outcomes());
  const Curve curve = make_curve(Ranking(ranked), CurveKind::kRoc);
  EXPECT_TRUE(curve.points.empty());
  EXPECT_EQ(curve.area.why, "no new samples");
}

TEST(Curve, IsFoundByName) {
  for (const CurveRow& row : curve_table()) {
    EXPECT_EQ(&find_curve(row.name), &row);
    EXPECT_EQ(&curve_table()[static_cast<std::size_t>(row.kind)], &row);
  }
  try {
    find_curve("det");
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "[curve] unknown curve 'det'; expected one of miss-hit, roc, pr, cotpr-ofpr");
  }
}

}  // namespace
}  // namespace openworld

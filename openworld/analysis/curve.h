#pragma once

// Curves to plot: what a threshold t trades, over every t, with the metric that is the area below.
//
//   miss-hit    HitRate(t) over MissRate(t): P(r_n <= t, h right) over P(r_b <= t or g wrong)
//   roc         TPR(t) over FPR(t), base positive: P(r_b > t) over P(r_o > t)
//   pr          precision(t) over recall(t), base positive, from the end point (0, 1)
//   cotpr-ofpr  COTPR(t) over OFPR(t): P(r_b > t, g right) over P(r_o > t)
//
// Groups of equal scores are straight lines, so the area below miss-hit, roc and cotpr-ofpr is the
// metric under half ties. For pr it is the average precision, the area below the steps at the same
// points: the lines of a drawing run above it.
//
// Thinning. Ten million samples have ten million points, and a plot shows a thousand. Points closer
// than 2^-13 to the last one kept, in x and in y, are skipped as they stream by, all but the last
// before the curve moves on; what is left are at most 2^14 points per unit of travel, below 8 MiB
// even for precision, which travels at most 1 + log(n). Then the point farthest from the line that
// replaces it, vertically, is put back until max_points are there. A last pass over all points
// measures the error. Up to 2^16 distinct scores skip the first step.
//
// Hua et al., "OpenworldAUC", ICML 2025; Wang et al., "OpenAUC", NeurIPS 2022; thinning after
// Douglas and Peucker, 1973.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "openworld/metrics/metric.h"

namespace openworld {

enum class CurveKind { kMissHit, kRoc, kPr, kCotprOfpr };

struct CurveRow {
  CurveKind kind;
  std::string_view name;
  std::string_view x_title;
  std::string_view y_title;
  std::string_view brief;
  const MetricRow* metric;  // the area; its row also says which open side the curve takes
};

// In the order of CurveKind.
std::span<const CurveRow> curve_table();

// Throws Error listing the known names.
const CurveRow& find_curve(std::string_view name);

struct CurvePoint {
  double x = 0;
  double y = 0;
  double threshold = 0;  // accepts r > threshold as base; -infinity accepts all
};

struct Curve {
  const CurveRow* row = nullptr;
  std::vector<CurvePoint> points;  // x ascending; empty when the area is undefined
  MetricValue area;                // of all points, not of those kept
  double max_error = 0;            // largest vertical distance of a point from the line drawn
};

// At most max_points points, and never fewer than the two ends; 0: all, 24 bytes each.
Curve make_curve(const Ranking& ranking, CurveKind kind, const MetricOptions& options = {},
                 std::size_t max_points = 0);

}  // namespace openworld

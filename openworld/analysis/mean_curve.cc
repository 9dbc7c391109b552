#include "openworld/analysis/mean_curve.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace openworld {
namespace {

double height(const Curve& curve, double x) {
  const auto& points = curve.points;
  const auto after = std::upper_bound(points.begin(), points.end(), x,
                                      [](double v, const CurvePoint& p) { return v < p.x; });
  if (after == points.begin()) return 0;
  if (after == points.end()) return points.back().y;
  const CurvePoint &a = after[-1], &b = *after;
  return std::lerp(a.y, b.y, (x - a.x) / (b.x - a.x));
}

}  // namespace

std::vector<CurvePoint> mean_curve(std::span<const Curve> curves, std::size_t steps) {
  assert(steps > 0 && !curves.empty());
  double start = 1;
  for (const Curve& curve : curves) {
    if (!curve.points.empty()) start = std::min(start, curve.points[0].x);
  }
  const auto grid = static_cast<double>(steps);
  std::vector<CurvePoint> mean;
  for (auto i = static_cast<std::size_t>(start * grid); i <= steps; ++i) {
    CurvePoint point{.x = static_cast<double>(i) / grid};
    for (const Curve& curve : curves) {
      point.y += height(curve, point.x) / static_cast<double>(curves.size());
    }
    mean.push_back(point);
  }
  return mean;
}

}  // namespace openworld

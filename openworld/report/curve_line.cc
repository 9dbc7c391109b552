#include "openworld/report/curve_line.h"

namespace openworld {

PlotLine curve_line(std::string name, std::span<const CurvePoint> points) {
  PlotLine line{std::move(name), {}, {}};
  for (const CurvePoint& point : points) {
    line.x.push_back(point.x);
    line.y.push_back(point.y);
  }
  return line;
}

}  // namespace openworld

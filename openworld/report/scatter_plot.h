#pragma once

// Points of several series as SVG: small ones for what was measured, a large one for their mean.

#include <string>
#include <vector>

#include "openworld/report/svg_axes.h"

namespace openworld {

struct ScatterPoint {
  std::string name;  // shown when pointed at
  double x = 0;
  double y = 0;
};

struct ScatterSeries {
  std::vector<ScatterPoint> points;
  ScatterPoint mean;
  int method = -1;  // on a page: whose colour it has and with which it is hidden; -1: none
};

struct Scatter {
  SvgFrame frame;  // the ends of the ranges are found from the points
  std::vector<ScatterSeries> series;
};

std::string svg(const Scatter& scatter);

}  // namespace openworld

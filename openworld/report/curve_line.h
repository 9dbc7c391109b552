#pragma once

#include <span>
#include <string>

#include "openworld/analysis/curve.h"
#include "openworld/report/svg_plot.h"

namespace openworld {

// A curve as a line of a plot.
PlotLine curve_line(std::string name, std::span<const CurvePoint> points);

}  // namespace openworld

#pragma once

// Several curves as one: the mean of their heights at each x (vertical averaging; Fawcett, "An
// introduction to ROC analysis", 2006). The area below it is the mean of their areas, up to the
// spacing of the grid.

#include <cstddef>
#include <span>
#include <vector>

#include "openworld/analysis/curve.h"

namespace openworld {

// At x = 0, 1/steps, ..., 1, from the last grid point at or before the first curve's start on. A
// curve is 0 left of its first point and keeps the height of its last one; where it is vertical its
// upper end counts. Thresholds are 0: those of different models do not average.
// REQUIRES: curves with ascending x in [0, 1]; steps > 0.
std::vector<CurvePoint> mean_curve(std::span<const Curve> curves, std::size_t steps = 500);

}  // namespace openworld

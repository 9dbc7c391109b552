#pragma once

// Pairs of images whose features are nearly the same: copies that were resized or saved again.

#include <cstddef>
#include <utility>
#include <vector>

#include "openworld/doctor/patient.h"

namespace openworld {

// Pairs (i, j), i < j, of a cosine of `near` or more, in order. O(n^2 width), by matrix products on
// `threads` threads in blocks that need no memory of their own beyond a few MB; the same for any
// number of threads. Features of length zero are like nothing.
std::vector<std::pair<std::size_t, std::size_t>> near_pairs(const FeatureList& features,
                                                            double near, int threads);

}  // namespace openworld

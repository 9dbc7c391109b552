#pragma once

// A long-tailed subset: few concepts keep many images and most keep few, as on the web.
//
//   const auto pairs = long_tail(open_captions("doodles"), 25, /*seed=*/1);
//
// The profile that experiments on long-tailed data have used since Cui et al. (CVPR 2019): of n
// images, the concept of rank r out of 0 .. C-1 keeps n factor^(-r / (C - 1)).

#include <cstdint>
#include <memory>

#include "openworld/worlds/captions.h"

namespace openworld {

// The first images of every concept, at least one; which concepts are rare depends on `seed`
// alone. A pair that is kept does not change. REQUIRES: factor >= 1.
std::unique_ptr<CaptionSource> long_tail(std::unique_ptr<CaptionSource> pairs, double factor,
                                         std::uint64_t seed);

}  // namespace openworld

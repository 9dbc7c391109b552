#pragma once

// Pairs of images whose features are nearly the same: copies that were resized or saved again.

#include <cstddef>
#include <utility>
#include <vector>

#include "openworld/doctor/patient.h"

namespace openworld {

// The cosine from which two of the images are taken for copies: 1 - kNearShare d, where d is the
// upper quartile of the distances 1 - c, and c the cosine of an image and the one that is most like
// it. So it depends on how far the model keeps different images apart, it rises with their number,
// and most of them may be copies. docs/doctor.md has what it finds. Of more than 1,000 images the
// quartile is that of 1,000 of them. O(n width) for each of those.
double near_cosine(const FeatureList& features, int threads);

// Chosen by the rule in `scripts/near-threshold`.
inline constexpr double kNearShare = 0.05;

struct NearPairs {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // (i, j), i < j, in order
  std::size_t left_out = 0;                                // how many more there are
};

// Pairs of a cosine of `near` or more. O(n^2 width), by matrix products on `threads` threads in
// blocks that need no memory of their own beyond a few MB; the same for any number of threads.
// Features of length zero are like nothing. A million pairs at most, the same number for each block
// of images; the others are counted.
NearPairs near_pairs(const FeatureList& features, double near, int threads);

}  // namespace openworld

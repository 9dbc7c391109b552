#pragma once

// Otsu's threshold (IEEE Trans. Systems, Man, and Cybernetics, 1979) as scikit-image computes it:
// over a histogram of 256 bins from the least to the greatest value, the centre of the bin after
// which a cut makes the variance between the two sides greatest.

#include <span>

namespace openworld {

// REQUIRES: values are finite. All equal: that value. Throws Error if there are none.
double otsu_threshold(std::span<const float> values);

}  // namespace openworld

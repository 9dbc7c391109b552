#pragma once

// Pixels as floats, channels first. Internal to this folder.

#include <span>
#include <string_view>

#include "openworld/images/image.h"
#include "openworld/images/preprocessing.h"

namespace openworld {

// Throws Error unless image_size is from 1 to 2^20, chw holds 3 image_size^2 values, and every std
// is above 0.
void check_preprocessing(std::string_view function, const Preprocessing& preprocessing,
                         std::span<const float> chw);

// (value / 255 - mean) / std in single precision. REQUIRES: `image` is n x n and chw holds 3 n^2
// values.
void write_floats(const Image& image, const Preprocessing& preprocessing, bool flip,
                  std::span<float> chw);

}  // namespace openworld

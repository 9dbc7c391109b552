#pragma once

// Scores of many images, in pieces that fit the memory.

#include <span>

#include "openworld/tuning/tuning_run.h"

namespace openworld {

// Logits and r of the test images, on the CPU. Throws Error if they hold NaN or infinity.
Scores score_images(const Scorer& scorer, ImageInput input, const TestImages& test);

// REQUIRES: contiguous floats on the CPU.
std::span<const float> floats_of(const at::Tensor& tensor);

}  // namespace openworld

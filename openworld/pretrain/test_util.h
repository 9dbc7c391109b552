#pragma once

// What the tests of this folder share.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "openworld/vlm/clip.h"

namespace openworld {

// Normal numbers times `spread`.
at::Tensor random_tensor(at::IntArrayRef shape, std::uint64_t seed, double spread = 1);

// Largest difference, as a share of the largest value of `expected`.
double relative_error(const at::Tensor& got, const at::Tensor& expected);

// A tower for images of `side` pixels with a stem of these channels, all strides 2 but the second.
ClipConfig small_config(std::int64_t side, const std::vector<std::int64_t>& channels,
                        Activation activation = Activation::kGelu);

bool equal(const Clip& a, const Clip& b);

}  // namespace openworld

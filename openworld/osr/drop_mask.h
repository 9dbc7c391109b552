#pragma once

// Masks of dropout, drawn from streams of our own, so that they are the same for any number of
// threads.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>

#include "openworld/base/random.h"

namespace openworld {

// [n, width], 0 with probability `dropout` and else 1 / (1 - dropout).
inline at::Tensor draw_mask(std::int64_t n, std::int64_t width, double dropout, Random& random) {
  at::Tensor mask = at::empty({n, width}, at::kFloat);
  float* const values = mask.data_ptr<float>();
  const auto kept = static_cast<float>(1 / (1 - dropout));
  for (std::int64_t i = 0; i < mask.numel(); ++i) values[i] = random.uniform() < dropout ? 0 : kept;
  return mask;
}

}  // namespace openworld

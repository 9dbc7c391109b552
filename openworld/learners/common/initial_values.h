#pragma once

// First values of what is learned, the same for a (seed, stream) on every machine. On the CPU.

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace openworld {

// i.i.d. N(0, 0.02^2), as all prompts that do not start from words.
at::Tensor normal_values(at::IntArrayRef shape, std::uint64_t seed, std::uint64_t stream);

// i.i.d. uniform on [-bound, bound).
at::Tensor uniform_values(at::IntArrayRef shape, double bound, std::uint64_t seed,
                          std::uint64_t stream);

// Rows of length 1 in random directions.
at::Tensor unit_rows(std::int64_t rows, std::int64_t width, std::uint64_t seed,
                     std::uint64_t stream);

// A linear layer as torch.nn.Linear starts: weight [outputs, inputs] and bias [outputs], uniform on
// +-1 / sqrt(inputs).
struct LinearValues {
  at::Tensor weight, bias;
};
LinearValues linear_values(std::int64_t inputs, std::int64_t outputs, std::uint64_t seed,
                           std::uint64_t stream);

}  // namespace openworld

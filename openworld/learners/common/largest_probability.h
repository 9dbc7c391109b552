#pragma once

#include <ATen/core/Tensor.h>

namespace openworld {

// The largest probability of the first `known` columns in a softmax over all columns of `values`
// [n, names], per row: max_b p_b = exp(max_b z_b - m) / sum_k exp(z_k - m) with m = max_k z_k. The
// exponentials are summed as integers, so that the order of the names changes no bit of it; a sum
// of floats would break and make ties by that order. NaN where a value is. Not differentiable.
// REQUIRES: 1 <= known <= names.
at::Tensor largest_probability(const at::Tensor& values, std::int64_t known);

}  // namespace openworld

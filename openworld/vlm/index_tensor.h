#pragma once

// Integers as the index tensors that torch's gathers take.

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cstdint>
#include <vector>

namespace openworld {

// `items`, each plus `shift`, as a tensor of 64-bit integers on `device`, which must be that of the
// tensors that it indexes.
template <class T>
at::Tensor index_tensor(const std::vector<T>& items, at::Device device = at::kCPU,
                        std::int64_t shift = 0) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(items.size())}, at::kLong);
  std::int64_t* const to = tensor.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < items.size(); ++i) to[i] = items[i] + shift;
  return tensor.to(device);
}

}  // namespace openworld

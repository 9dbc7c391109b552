#pragma once

// Reads every float tensor of a file, as far as memory allows: a tensor expanded by strides of
// 0 may be much larger than its file.

#include <vector>

#include "fuzz/fuzz.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

inline void read_all(const std::vector<StoredTensor>& tensors) {
  constexpr std::int64_t kMost = 1 << 16;
  for (const StoredTensor& tensor : tensors) {
    if (!tensor_type(tensor.type).is_float || tensor.size() > kMost) continue;
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    read_floats(tensor, values);
    if (tensor.shape.size() == 2) read_floats(transposed(tensor), values);
  }
}

}  // namespace openworld

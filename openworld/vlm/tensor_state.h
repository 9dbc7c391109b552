#pragma once

// Tensors that a training leaves, in a safetensors file: to keep, and to go on from.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "openworld/io/origin.h"
#include "openworld/io/safetensors.h"

namespace openworld {

using NamedTensors = std::map<std::string, at::Tensor>;

// Tensors of floats, under names with a prefix.
using TensorGroups = std::vector<std::pair<std::string, const NamedTensors*>>;

struct TensorState {
  TensorGroups groups;
  std::vector<std::int64_t> numbers = {};  // kept beside them if not empty
  std::string text = "";                   // the same
};

// Writes a file that is whole or not there. Throws Error that names `origin`.
void write_tensor_state(const TensorState& state, const Origin& origin);

// The file `origin.file`, as it is. Throws Error.
Safetensors open_tensor_state(const Origin& origin);

// Copies the tensors of the file into those of the groups: all or, if one is missing or of another
// shape, none. Throws Error.
void read_tensors(const Safetensors& file, const Origin& origin, const TensorGroups& groups);

// What was kept beside them. Throws Error if it is not there.
std::string read_text(const Safetensors& file, const Origin& origin);
std::vector<std::int64_t> read_numbers(const Safetensors& file, const Origin& origin);

}  // namespace openworld

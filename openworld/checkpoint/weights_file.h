#pragma once

// The weights of a checkpoint: one file or its shards, in safetensors or PyTorch's format. The
// first bytes decide the format, not the file name.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

struct Weights {
  std::vector<std::string> files;
  std::vector<Bytes> bytes;           // of the files, mapped
  std::vector<StoredTensor> tensors;  // of all files; names differ
  bool script = false;                // TorchScript
};

// Errors name `function` and the file. git-lfs pointers and HTML pages in place of the weights are
// recognised and reported.
Weights open_weights(const std::vector<std::string>& files, std::string_view function);

// The files beside `index`, a *.index.json, that hold the tensors it lists; sorted. Throws Error.
std::vector<std::string> read_shard_index(const std::string& index, std::string_view function);

}  // namespace openworld

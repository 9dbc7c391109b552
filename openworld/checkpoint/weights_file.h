#pragma once

// The weights of a checkpoint: one file, or the shards of one, in safetensors or PyTorch's format,
// which is told from the first bytes and not from the name.

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

// Errors name `function` and the file. Files that stand for one that was not fetched (git-lfs
// pointers, the web page that a server sent instead) are recognised as such.
Weights open_weights(const std::vector<std::string>& files, std::string_view function);

// The files beside `index`, a *.index.json, that hold the tensors it lists; sorted. Throws Error.
std::vector<std::string> read_shard_index(const std::string& index, std::string_view function);

}  // namespace openworld

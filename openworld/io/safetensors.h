#pragma once

// The safetensors format:
//
//   header length, 8 bytes | JSON {"name": {"dtype", "shape", "data_offsets": [begin, end)}} | data
//
// Numbers are little-endian and tensors row-major; "__metadata__" maps strings to strings. Read
// strictly, as the format demands: the tensors cover the data without gap or overlap, and each is
// exactly as long as its type and shape say.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"
#include "openworld/io/json_file.h"
#include "openworld/io/origin.h"
#include "openworld/io/tensor_file.h"

namespace openworld {

struct Safetensors {
  std::vector<StoredTensor> tensors;  // in the order of their data; they share the owner of `bytes`
  std::map<std::string, std::string> metadata;
};

// Of a header. A CLIP of 446 tensors has one of 60 KB with 4,500 values.
inline constexpr JsonLimits kSafetensorsLimits{
    .bytes = std::size_t{8} << 20, .depth = 4, .values = std::size_t{1} << 20};

// Throws Error.
Safetensors parse_safetensors(const Bytes& bytes, const Origin& origin);

struct TensorToWrite {
  std::string name;
  TensorType type = TensorType::kF32;
  std::vector<std::int64_t> shape;
};

// Writes a file atomically; equal tensors give equal bytes. The metadata is {"format": "pt"}, which
// PyTorch libraries expect. `data(i)` gives the bytes of tensor i,
// is called in order, and what it returns is used before the next call. Throws Error.
// REQUIRES: names that differ; items of one size, or larger ones first, so that all are aligned.
void write_safetensors(const std::string& path, const std::vector<TensorToWrite>& tensors,
                       const std::function<std::span<const std::byte>(std::size_t)>& data,
                       std::string_view function = "write_safetensors");

}  // namespace openworld

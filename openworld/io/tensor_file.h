#pragma once

// Tensors of a weights file: name, type, shape, and a view of their bytes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/column.h"

namespace openworld {

enum class TensorType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

struct TensorTypeRow {
  TensorType type;
  std::string_view name;           // in safetensors, and in messages
  std::string_view torch_storage;  // the class of a storage of such items in a torch.save
  std::size_t item_size;
  bool is_float;
};

// One row for each type, in the order of the enumeration.
std::span<const TensorTypeRow> tensor_types();
const TensorTypeRow& tensor_type(TensorType type);

// A view of items in `bytes`. Item (i, j, ...) is at i * strides[0] + j * strides[1] + ... items
// from the start of `bytes`, and every such place lies in it: readers check that.
struct StoredTensor {
  std::string name;
  TensorType type = TensorType::kF32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  Bytes bytes;

  std::int64_t size() const;
};

// Strides of a row-major tensor.
std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape);

// Product of the shape times `item_size`; nothing if a side is negative or the product of the sides
// other than 0 passes 2^62.
std::optional<std::int64_t> checked_byte_count(std::span<const std::int64_t> shape,
                                               std::size_t item_size);

// The same bytes seen with rows and columns exchanged. REQUIRES: two dimensions.
StoredTensor transposed(StoredTensor tensor);

// The values, row-major, as floats: exact but for F64, which is rounded.
// REQUIRES: a float type and tensor.size() == to.size().
void read_floats(const StoredTensor& tensor, std::span<float> to);

// "[3, 4]".
std::string tensor_shape_text(std::span<const std::int64_t> shape);

}  // namespace openworld

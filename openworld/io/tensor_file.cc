#include "openworld/io/tensor_file.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <utility>

#include "openworld/io/half.h"

namespace openworld {
namespace {

constexpr TensorTypeRow kTypes[] = {
    {TensorType::kF64, "F64", "DoubleStorage", 8, true},
    {TensorType::kF32, "F32", "FloatStorage", 4, true},
    {TensorType::kF16, "F16", "HalfStorage", 2, true},
    {TensorType::kBF16, "BF16", "BFloat16Storage", 2, true},
    {TensorType::kI64, "I64", "LongStorage", 8, false},
    {TensorType::kI32, "I32", "IntStorage", 4, false},
    {TensorType::kI16, "I16", "ShortStorage", 2, false},
    {TensorType::kI8, "I8", "CharStorage", 1, false},
    {TensorType::kU8, "U8", "ByteStorage", 1, false},
    {TensorType::kBool, "BOOL", "BoolStorage", 1, false},
};

// Items one after the other.
void convert_run(TensorType type, std::span<const std::byte> from, std::span<float> to) {
  switch (type) {
    case TensorType::kF32:
      if (!to.empty()) std::memcpy(to.data(), from.data(), from.size());
      return;
    case TensorType::kF16:
      return widen_halves(from, to);
    case TensorType::kBF16:
      return widen_bfloats(from, to);
    case TensorType::kF64:
      for (std::size_t i = 0; i < to.size(); ++i) {
        double value;
        std::memcpy(&value, from.data() + 8 * i, sizeof value);
        to[i] = static_cast<float>(value);
      }
      return;
    default:
      assert(!"not a float type");
  }
}

}  // namespace

std::span<const TensorTypeRow> tensor_types() {
  return kTypes;
}

const TensorTypeRow& tensor_type(TensorType type) {
  const TensorTypeRow& row = kTypes[static_cast<std::size_t>(type)];
  assert(row.type == type);
  return row;
}

std::int64_t StoredTensor::size() const {
  std::int64_t size = 1;
  for (const std::int64_t side : shape) size *= side;
  return size;
}

std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = step;
    step *= shape[d];
  }
  return strides;
}

std::optional<std::int64_t> checked_byte_count(std::span<const std::int64_t> shape,
                                               std::size_t item_size) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  std::int64_t nonzero = static_cast<std::int64_t>(item_size);
  bool empty = false;
  for (const std::int64_t side : shape) {
    if (side < 0) return std::nullopt;
    empty = empty || side == 0;
    if (side != 0 && (__builtin_mul_overflow(nonzero, side, &nonzero) || nonzero > kLimit)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : nonzero;
}

StoredTensor transposed(StoredTensor tensor) {
  assert(tensor.shape.size() == 2);
  std::swap(tensor.shape[0], tensor.shape[1]);
  std::swap(tensor.strides[0], tensor.strides[1]);
  return tensor;
}

void read_floats(const StoredTensor& tensor, std::span<float> to) {
  assert(std::cmp_equal(to.size(), tensor.size()));
  if (to.empty()) return;
  const std::size_t item = tensor_type(tensor.type).item_size;
  // The trailing dimensions that lie in one run.
  std::size_t outer = tensor.shape.size();
  std::int64_t run = 1;
  while (outer > 0 && (tensor.strides[outer - 1] == run || tensor.shape[outer - 1] == 1)) {
    run *= tensor.shape[--outer];
  }
  std::vector<std::int64_t> index(outer, 0);
  std::int64_t at = 0;
  for (std::size_t done = 0; done < to.size(); done += static_cast<std::size_t>(run)) {
    const auto items = static_cast<std::size_t>(run);
    convert_run(tensor.type,
                tensor.bytes.values.subspan(static_cast<std::size_t>(at) * item, items * item),
                to.subspan(done, items));
    for (std::size_t d = outer; d-- > 0;) {
      at += tensor.strides[d];
      if (++index[d] < tensor.shape[d]) break;
      at -= tensor.strides[d] * tensor.shape[d];
      index[d] = 0;
    }
  }
}

std::string tensor_shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace openworld

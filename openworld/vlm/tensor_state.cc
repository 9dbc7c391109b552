#include "openworld/vlm/tensor_state.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>

#include <cstring>

#include "openworld/io/mapped_file.h"

namespace openworld {
namespace {

const std::string kText = "run", kNumbers = "numbers";

const StoredTensor& find(const Safetensors& file, const std::string& name, const Origin& origin) {
  for (const StoredTensor& tensor : file.tensors) {
    if (tensor.name == name) return tensor;
  }
  origin.fail(fmt::format("has no tensor {}; expected the state of such a training", name));
}

}  // namespace

void write_tensor_state(const TensorState& state, const Origin& origin) {
  const auto& [groups, numbers, text] = state;
  std::vector<TensorToWrite> tensors;
  std::vector<std::span<const std::byte>> data;
  std::vector<at::Tensor> kept;
  if (!numbers.empty()) {
    tensors.push_back({kNumbers, TensorType::kI64, {static_cast<std::int64_t>(numbers.size())}});
    data.push_back(std::as_bytes(std::span(numbers)));
  }
  for (const auto& [prefix, group] : groups) {
    for (const auto& [name, tensor] : *group) {
      kept.push_back(tensor.detach().to(at::kCPU).contiguous());
      tensors.push_back(
          {prefix + name, TensorType::kF32, {tensor.sizes().begin(), tensor.sizes().end()}});
      data.emplace_back(static_cast<const std::byte*>(kept.back().data_ptr()),
                        static_cast<std::size_t>(kept.back().nbytes()));
    }
  }
  if (!text.empty()) {
    tensors.push_back({kText, TensorType::kU8, {static_cast<std::int64_t>(text.size())}});
    data.push_back(std::as_bytes(std::span(text)));
  }
  write_safetensors(
      origin.file, tensors, [&](std::size_t i) { return data[i]; }, origin.function);
}

Safetensors open_tensor_state(const Origin& origin) {
  return parse_safetensors(map_file(origin), origin);
}

void read_tensors(const Safetensors& file, const Origin& origin, const TensorGroups& groups) {
  const at::NoGradGuard no_grad;
  std::vector<std::pair<const StoredTensor*, at::Tensor>> copies;
  for (const auto& [prefix, group] : groups) {
    for (const auto& [name, tensor] : *group) {
      const StoredTensor& stored = find(file, prefix + name, origin);
      const std::vector<std::int64_t> shape(tensor.sizes().begin(), tensor.sizes().end());
      if (stored.type != TensorType::kF32 || stored.shape != shape) {
        origin.fail(fmt::format("{} is {} {}; expected {} {}", stored.name,
                                tensor_type(stored.type).name, tensor_shape_text(stored.shape),
                                tensor_type(TensorType::kF32).name, tensor_shape_text(shape)));
      }
      copies.emplace_back(&stored, tensor);
    }
  }
  for (const auto& [stored, tensor] : copies) {
    const at::Tensor values = at::empty(tensor.sizes(), at::kFloat);
    std::memcpy(values.data_ptr(), stored->bytes.values.data(), stored->bytes.values.size());
    tensor.copy_(values);
  }
}

std::string read_text(const Safetensors& file, const Origin& origin) {
  return std::string(as_text(find(file, kText, origin).bytes.values));
}

std::vector<std::int64_t> read_numbers(const Safetensors& file, const Origin& origin) {
  const StoredTensor& stored = find(file, kNumbers, origin);
  if (stored.type != TensorType::kI64 || stored.shape.size() != 1) {
    origin.fail(fmt::format("{} is no row of 64-bit integers", kNumbers));
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(stored.size()));
  std::memcpy(numbers.data(), stored.bytes.values.data(), stored.bytes.values.size());
  return numbers;
}

}  // namespace openworld

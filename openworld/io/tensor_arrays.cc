#include "openworld/io/tensor_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "openworld/io/memory_limit.h"
#include "openworld/io/safetensors.h"

namespace openworld {
namespace {

constexpr std::string_view kLabel = "label";

Dtype dtype_of(TensorType type) {
  const TensorTypeRow& row = tensor_type(type);
  const auto kind = row.is_float                ? Dtype::Kind::kFloat
                    : type == TensorType::kBool ? Dtype::Kind::kBool
                    : type == TensorType::kU8   ? Dtype::Kind::kUint
                                                : Dtype::Kind::kInt;
  return {kind, row.item_size};
}

// The tensor as an array in C order: its own bytes where they stand so, or floats of it.
NpyArray array_of(const StoredTensor& tensor, std::string_view name, std::size_t file_bytes,
                  const Origin& origin) {
  NpyArray array;
  array.name = name;
  array.file_bytes = file_bytes;
  array.header.shape.assign(tensor.shape.begin(), tensor.shape.end());
  array.header.count = static_cast<std::size_t>(tensor.size());
  const bool in_order = tensor.strides == row_major_strides(tensor.shape);
  if (in_order && tensor.type != TensorType::kBF16) {
    array.header.dtype = dtype_of(tensor.type);
    array.header.data_size = array.header.count * array.header.dtype.size;
    array.data = {tensor.bytes.values.first(array.header.data_size), tensor.bytes.owner};
    return array;
  }
  if (!tensor_type(tensor.type).is_float || tensor.type == TensorType::kF64) {
    origin.fail(fmt::format("{} is not contiguous; save tensor.contiguous()", name));
  }
  array.header.dtype = {Dtype::Kind::kFloat, sizeof(float)};
  array.header.data_size = array.header.count * sizeof(float);
  request_memory(array.header.data_size, file_bytes, name, origin);
  auto values = std::make_shared_for_overwrite<float[]>(array.header.count);
  read_floats(tensor, {values.get(), array.header.count});
  array.data = {std::as_bytes(std::span<const float>(values.get(), array.header.count)), values};
  return array;
}

TorchFile read_tensors(const Bytes& bytes, const Origin& origin) {
  if (!origin.file.ends_with(".safetensors")) return parse_torch_file(bytes, origin);
  TorchFile file;
  file.tensors = parse_safetensors(bytes, origin).tensors;
  return file;
}

bool may_be_features(const StoredTensor& tensor) {
  return tensor_type(tensor.type).is_float &&
         (tensor.shape.size() == 2 || tensor.shape.size() == 3);
}

bool may_be_labels(const StoredTensor& tensor) {
  return !tensor_type(tensor.type).is_float && tensor.shape.size() == 1;
}

// "0 [10, 4] and 1 [5, 4]"; of many the first three.
std::string list_of(std::span<const StoredTensor* const> tensors) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> shown;
  for (const StoredTensor* tensor : tensors.first(std::min(tensors.size(), kShown))) {
    shown.push_back(
        fmt::format("{} {}", in_quotes(tensor->name), tensor_shape_text(tensor->shape)));
  }
  if (tensors.size() > kShown) shown.push_back(fmt::format("{} more", tensors.size() - kShown));
  return fmt::format("{}", fmt::join(shown, ", "));
}

constexpr std::string_view kSaveADict =
    R"(save a dict, torch.save({"features": ..., "label": ..., "names": ...}, path))";

// Adds what nothing but its shape and type tells.
void add_unnamed(const TorchFile& file, std::string_view features, std::size_t file_bytes,
                 const Origin& origin, TensorArrays& found) {
  std::vector<const StoredTensor*> tables, lists;
  for (const StoredTensor& tensor : file.tensors) {
    // A weight of a module: "visual.proj".
    if (tensor.name.find('.') != std::string::npos) continue;
    if (may_be_features(tensor)) tables.push_back(&tensor);
    if (may_be_labels(tensor)) lists.push_back(&tensor);
  }
  if (!file.named && !file.texts.empty()) {
    found.unclear = fmt::format("item {} is a list of texts, which may be labels or names; {}",
                                file.texts[0].name, kSaveADict);
  } else if (tables.size() > 1) {
    found.unclear = fmt::format("{} tensors may be the features: {}; {}", tables.size(),
                                list_of(tables), kSaveADict);
  } else if (!file.named && lists.size() > 1) {
    found.unclear = fmt::format("{} tensors may be the labels: {}; {}", lists.size(),
                                list_of(lists), kSaveADict);
  } else if (tables.size() == 1) {
    found.arrays.push_back(array_of(*tables[0], features, file_bytes, origin));
    // The list of a dict has a name, which is not that of labels.
    if (!file.named && lists.size() == 1) {
      found.arrays.push_back(array_of(*lists[0], kLabel, file_bytes, origin));
    }
  } else if (!file.named && !file.tensors.empty()) {
    std::vector<const StoredTensor*> all;
    for (const StoredTensor& tensor : file.tensors) all.push_back(&tensor);
    found.unclear = fmt::format(
        "no features among the tensors {}; expected floats [rows, "
        "dimensions]",
        list_of(all));
  }
}

}  // namespace

TensorArrays read_tensor_arrays(const Bytes& bytes, std::span<const std::string_view> features,
                                std::span<const std::string_view> others, const Origin& origin) {
  TorchFile file = read_tensors(bytes, origin);
  TensorArrays found;
  found.named = file.named;
  const auto in = [](std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  };
  bool has_features = false;
  for (const StoredTensor& tensor : file.tensors) {
    const bool is_features = in(features, tensor.name);
    if (!is_features && !in(others, tensor.name)) continue;
    has_features = has_features || is_features;
    found.arrays.push_back(array_of(tensor, tensor.name, bytes.size(), origin));
  }
  if (!has_features) add_unnamed(file, features[0], bytes.size(), origin, found);
  for (StoredTexts& texts : file.texts) {
    if (in(others, texts.name)) found.texts.push_back(std::move(texts));
  }
  return found;
}

NpyArray read_label_tensor(const Bytes& bytes, const Origin& origin) {
  const TorchFile file = read_tensors(bytes, origin);
  if (file.tensors.size() != 1) {
    origin.fail(fmt::format("has {} tensors; expected one, the labels alone", file.tensors.size()));
  }
  return array_of(file.tensors[0], kLabel, bytes.size(), origin);
}

bool is_tensor_file(const std::string& path) {
  return path.ends_with(".pt") || path.ends_with(".pth") || path.ends_with(".safetensors");
}

}  // namespace openworld

#include "openworld/io/feature_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/npz.h"
#include "openworld/io/safetensors.h"
#include "openworld/io/torch_file.h"

namespace openworld {
namespace {

constexpr std::array<std::string_view, 6> kFeatures = {
    "features", "embeddings", "image_features", "text_features", "image_embeds", "text_embeds"};
constexpr std::array<std::string_view, 3> kLabels = {"label", "labels", "targets"};
constexpr std::array<std::string_view, 4> kNames = {"names", "classes", "class_names",
                                                    "classnames"};
constexpr std::array<std::string_view, 2> kSplits = {"split", "splits"};
constexpr std::array<std::string_view, 2> kPaths = {"path", "paths"};

Dtype dtype_of(TensorType type) {
  const TensorTypeRow& row = tensor_type(type);
  const auto kind = row.is_float                ? Dtype::Kind::kFloat
                    : type == TensorType::kBool ? Dtype::Kind::kBool
                    : type == TensorType::kU8   ? Dtype::Kind::kUint
                                                : Dtype::Kind::kInt;
  return {kind, row.item_size};
}

// The tensor as an array in C order: its own bytes where they stand so, or floats of it.
NpyArray array_of(const StoredTensor& tensor, std::size_t file_bytes, const Origin& origin) {
  NpyArray array;
  array.name = tensor.name;
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
    origin.fail(fmt::format("{} is not contiguous; save tensor.contiguous()", tensor.name));
  }
  array.header.dtype = {Dtype::Kind::kFloat, sizeof(float)};
  array.header.data_size = array.header.count * sizeof(float);
  request_memory(array.header.data_size, file_bytes, tensor.name, origin);
  auto values = std::make_shared_for_overwrite<float[]>(array.header.count);
  read_floats(tensor, {values.get(), array.header.count});
  array.data = {std::as_bytes(std::span<const float>(values.get(), array.header.count)), values};
  return array;
}

bool is_known(std::string_view name) {
  const auto in = [&](const auto& names) { return std::ranges::find(names, name) != names.end(); };
  return in(kFeatures) || in(kLabels) || in(kNames) || in(kSplits) || in(kPaths);
}

std::vector<NpyArray> arrays_of(const std::vector<StoredTensor>& tensors, std::size_t file_bytes,
                                const Origin& origin) {
  std::vector<NpyArray> arrays;
  for (const StoredTensor& tensor : tensors) {
    if (is_known(tensor.name)) arrays.push_back(array_of(tensor, file_bytes, origin));
  }
  return arrays;
}

std::vector<NpyArray> read_arrays(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  const auto ends = [&](std::string_view ending) { return origin.file.ends_with(ending); };
  if (ends(".pt") || ends(".pth")) {
    return arrays_of(parse_torch_file(bytes, origin).tensors, bytes.size(), origin);
  }
  if (ends(".safetensors")) {
    return arrays_of(parse_safetensors(bytes, origin).tensors, bytes.size(), origin);
  }
  if (as_text(bytes.values).starts_with("\x93NUMPY")) {
    return {parse_npy(bytes, kFeatures[0], origin)};
  }
  const ZipArchive archive(bytes, origin);
  std::vector<NpyArray> arrays;
  const auto read = [&](const auto& names) {
    for (const std::string_view name : names) {
      if (auto array = read_npz_array(archive, name)) arrays.push_back(std::move(*array));
    }
  };
  read(kFeatures);
  read(kLabels);
  read(kNames);
  read(kSplits);
  read(kPaths);
  return arrays;
}

}  // namespace

std::size_t label_count(const ClassLabels& labels) {
  return std::visit([](const auto& values) { return values.size(); }, labels);
}

ClassLabels to_class_labels(const NpyArray& array, const Origin& origin) {
  require_dimensions(array, 1, origin);
  if (array.header.dtype.is_text()) return to_strings(array, origin);
  return to_integers<std::int32_t>(array, "the index of a class", origin);
}

ClassLabels load_labels(const std::string& path, const std::string& function) {
  const Origin origin{function, path};
  return to_class_labels(parse_npy(map_file(origin), kLabels[0], origin), origin);
}

FeatureReader::FeatureReader(const std::string& path, const std::string& function)
    : origin_{function, path}, arrays_(read_arrays(origin_)) {}

const NpyArray* FeatureReader::find(std::span<const std::string_view> names) const {
  const NpyArray* found = nullptr;
  for (const NpyArray& array : arrays_) {
    if (std::ranges::find(names, array.name) == names.end()) continue;
    if (found != nullptr) {
      origin_.fail(
          fmt::format("has both {} and {}; expected one of them", found->name, array.name));
    }
    found = &array;
  }
  return found;
}

bool FeatureReader::has_features() const {
  return std::ranges::any_of(arrays_, [](const NpyArray& array) {
    return std::ranges::find(kFeatures, array.name) != kFeatures.end();
  });
}

NpyArray FeatureReader::features() const {
  const NpyArray* array = find(kFeatures);
  if (array == nullptr) {
    origin_.fail(fmt::format("no features; expected an array [rows, dimensions] called {}",
                             fmt::join(kFeatures, ", ")));
  }
  const auto& shape = array->header.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    origin_.fail(fmt::format("{} has shape {}; expected [rows, dimensions]", array->name,
                             shape_text(shape)));
  }
  if (shape[0] == 0) {
    origin_.fail(fmt::format("{} has no rows; expected one or more", array->name));
  }
  // A row has a label, a name and scores, however few numbers it has itself.
  constexpr std::uint64_t kRowBytes = 128;
  request_memory(shape[0] * kRowBytes, array->file_bytes,
                 fmt::format("{} of {} rows", array->name, shape[0]), origin_);
  return *array;
}

std::optional<ClassLabels> FeatureReader::labels() const {
  const NpyArray* array = find(kLabels);
  if (array == nullptr) return std::nullopt;
  return to_class_labels(*array, origin_);
}

std::vector<std::string> FeatureReader::texts(std::span<const std::string_view> names) const {
  const NpyArray* array = find(names);
  if (array == nullptr) return {};
  require_dimensions(*array, 1, origin_);
  return to_strings(*array, origin_);
}

std::vector<std::string> FeatureReader::names() const {
  return texts(kNames);
}

std::vector<std::string> FeatureReader::splits() const {
  return texts(kSplits);
}

std::vector<std::string> FeatureReader::paths() const {
  return texts(kPaths);
}

}  // namespace openworld

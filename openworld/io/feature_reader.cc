#include "openworld/io/feature_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/npz.h"

namespace openworld {
namespace {

constexpr std::array<std::string_view, 6> kFeatures = {
    "features", "embeddings", "image_features", "text_features", "image_embeds", "text_embeds"};
constexpr std::array<std::string_view, 3> kLabels = {"label", "labels", "targets"};
constexpr std::array<std::string_view, 4> kNames = {"names", "classes", "class_names",
                                                    "classnames"};
constexpr std::array<std::string_view, 2> kSplits = {"split", "splits"};
constexpr std::array<std::string_view, 2> kPaths = {"path", "paths"};

constexpr auto kOthers = [] {
  std::array<std::string_view, kLabels.size() + kNames.size() + kSplits.size() + kPaths.size()> all;
  auto at = std::ranges::copy(kLabels, all.begin()).out;
  at = std::ranges::copy(kNames, at).out;
  at = std::ranges::copy(kSplits, at).out;
  std::ranges::copy(kPaths, at);
  return all;
}();

TensorArrays read_arrays(const Origin& origin) {
  const Bytes bytes = map_file(origin);
  if (is_tensor_file(origin.file)) return read_tensor_arrays(bytes, kFeatures, kOthers, origin);
  if (as_text(bytes.values).starts_with("\x93NUMPY")) {
    TensorArrays found;
    found.arrays.push_back(parse_npy(bytes, kFeatures[0], origin));
    return found;
  }
  const ZipArchive archive(bytes, origin);
  TensorArrays found;
  const auto read = [&](const auto& names) {
    for (const std::string_view name : names) {
      if (auto array = read_npz_array(archive, name)) found.arrays.push_back(std::move(*array));
    }
  };
  read(kFeatures);
  read(kOthers);
  return found;
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
  const Bytes bytes = map_file(origin);
  return to_class_labels(is_tensor_file(path) ? read_label_tensor(bytes, origin)
                                              : parse_npy(bytes, kLabels[0], origin),
                         origin);
}

FeatureReader::FeatureReader(const std::string& path, const std::string& function)
    : origin_{function, path}, contents_(read_arrays(origin_)) {}

const NpyArray* FeatureReader::find(std::span<const std::string_view> names) const {
  const NpyArray* found = nullptr;
  for (const NpyArray& array : contents_.arrays) {
    if (std::ranges::find(names, array.name) == names.end()) continue;
    if (found != nullptr) {
      origin_.fail(
          fmt::format("has both {} and {}; expected one of them", found->name, array.name));
    }
    found = &array;
  }
  return found;
}

const StoredTexts* FeatureReader::find_texts(std::span<const std::string_view> names) const {
  const StoredTexts* found = nullptr;
  for (const StoredTexts& list : contents_.texts) {
    if (std::ranges::find(names, list.name) == names.end()) continue;
    if (found != nullptr) {
      origin_.fail(fmt::format("has both {} and {}; expected one of them", found->name, list.name));
    }
    found = &list;
  }
  return found;
}

bool FeatureReader::has_features() const {
  if (!contents_.named) return true;
  return std::ranges::any_of(contents_.arrays, [](const NpyArray& array) {
    return std::ranges::find(kFeatures, array.name) != kFeatures.end();
  });
}

NpyArray FeatureReader::features() const {
  const NpyArray* array = find(kFeatures);
  if (array == nullptr && !contents_.unclear.empty()) origin_.fail(contents_.unclear);
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
  if (const NpyArray* array = find(kLabels)) return to_class_labels(*array, origin_);
  if (const StoredTexts* list = find_texts(kLabels)) return list->texts;
  // Which tensor they are is as unclear as which the features are.
  if (!contents_.unclear.empty()) origin_.fail(contents_.unclear);
  return std::nullopt;
}

std::vector<std::string> FeatureReader::texts(std::span<const std::string_view> names) const {
  if (const StoredTexts* list = find_texts(names)) return list->texts;
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

#include "openworld/worlds/feature_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include "openworld/io/class_choice.h"
#include "openworld/io/feature_reader.h"
#include "openworld/io/memory_limit.h"
#include "openworld/worlds/class_names.h"
#include "openworld/worlds/folders.h"
#include "openworld/worlds/format.h"

namespace openworld {
namespace {

bool recognise_features(const std::string& path) {
  std::error_code ignored;
  const auto ends = [&](const char* ending) { return path.ends_with(ending); };
  return (ends(".npz") || ends(".pt") || ends(".pth") || ends(".safetensors")) &&
         std::filesystem::is_regular_file(path, ignored);
}

// Labels by index, and the names of the classes.
std::vector<std::int32_t> indices_of(const ClassLabels& labels,
                                     const std::vector<std::string>& names, const Origin& origin) {
  std::vector<std::int32_t> indices;
  if (const auto* column = std::get_if<Column<std::int32_t>>(&labels)) {
    indices.assign(column->values.begin(), column->values.end());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= -1 && (names.empty() || std::cmp_less(indices[i], names.size()))) continue;
      origin.fail(
          fmt::format("label[{}] is {}; expected 0 to {}, or -1 for unknown", i, indices[i],
                      names.empty() ? "the number of classes" : std::to_string(names.size() - 1)));
    }
    return indices;
  }
  const ClassFinder finder(names);
  std::map<std::string, std::int32_t> known = {{std::string(kUnknownClass), -1}};
  for (const std::string& name : std::get<std::vector<std::string>>(labels)) {
    const auto [entry, is_new] = known.try_emplace(name, -1);
    if (is_new) {
      const std::vector<std::size_t> found = finder.find(name);
      if (found.empty()) {
        origin.fail(
            fmt::format("label[{}] is {}, which is no class; {}expected a name of a class, "
                        "or unknown",
                        indices.size(), in_quotes(name), finder.suggestion(name)));
      }
      entry->second = static_cast<std::int32_t>(found[0]);
    }
    indices.push_back(entry->second);
  }
  return indices;
}

// Those of the file, or of the labels, sorted, where these are names.
std::vector<std::string> class_names(const FeatureReader& reader, const ClassLabels& labels,
                                     const DatasetOptions& options) {
  if (!options.names.empty()) {
    return ClassNames::load({reader.origin().function, options.names}).by_label();
  }
  std::vector<std::string> names = reader.names();
  if (!names.empty() || !std::holds_alternative<std::vector<std::string>>(labels)) return names;
  names = std::get<std::vector<std::string>>(labels);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase(names, kUnknownClass);
  return names;
}

void expect_rows(const char* what, std::size_t got, std::size_t expected, const Origin& origin) {
  if (got == expected) return;
  origin.fail(fmt::format("{} has {} entries; expected {}, one for each row of features", what, got,
                          expected));
}

// Of labels without names: 0, 1, ... up to the largest.
std::vector<std::string> numbered_classes(const std::vector<std::int32_t>& labels,
                                          std::uint64_t file_bytes, const Origin& origin) {
  constexpr std::uint64_t kClassBytes = 128;
  const auto count =
      static_cast<std::uint64_t>(*std::ranges::max_element(labels) + std::int64_t{1});
  request_memory(count * kClassBytes, file_bytes,
                 fmt::format("label of {} classes without names", count), origin);
  std::vector<std::string> names;
  for (std::uint64_t c = 0; c < count; ++c) names.push_back(std::to_string(c));
  return names;
}

Dataset open_features(const Origin& origin, const DatasetOptions& options) {
  const FeatureReader reader(origin.file, origin.function);
  const NpyArray array = reader.features();
  Matrix features = to_matrix(array, origin);
  const auto labels = reader.labels();
  if (!labels) {
    origin.fail("has features but no label; expected the index or the name of each row's class");
  }
  const std::size_t rows = features.rows;
  expect_rows("label", label_count(*labels), rows, origin);
  Dataset dataset;
  dataset.classes = class_names(reader, *labels, options);
  const std::vector<std::int32_t> indices = indices_of(*labels, dataset.classes, origin);
  dataset.named = !dataset.classes.empty();
  if (!dataset.named) {
    dataset.classes = numbered_classes(indices, array.file_bytes, origin);
  }
  if (!options.allow_duplicate_names) refuse_duplicates(dataset.classes, origin);
  const std::vector<std::string> splits = reader.splits();
  if (!splits.empty()) {
    expect_rows("split", splits.size(), rows, origin);
    dataset.splits = splits;
    std::ranges::sort(dataset.splits);
    dataset.splits.erase(std::unique(dataset.splits.begin(), dataset.splits.end()),
                         dataset.splits.end());
  }
  if (!splits.empty() || !options.split.empty()) {
    require_split(options.split, dataset.splits, origin);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    if (!splits.empty() && splits[i] != options.split) continue;
    dataset.samples.push_back({.path = fmt::format("row {}", i), .label = indices[i], .place = i});
  }
  dataset.source = std::make_shared<FeatureSource>(std::move(features), origin);
  return dataset;
}

}  // namespace

FeatureSource::FeatureSource(Matrix features, Origin origin)
    : features_(std::move(features)), origin_(std::move(origin)) {}

Bytes FeatureSource::read(const Sample& sample) const {
  origin_.fail(
      fmt::format("{} has features but no image; expected a dataset of images", sample.path));
}

std::string FeatureSource::name(const Sample& sample) const {
  return fmt::format("{}, {}", origin_.file, sample.path);
}

void FeatureSource::feature(const Sample& sample, std::span<float> to) const {
  double squares = 0;
  std::visit(
      [&](const auto& column) {
        for (std::size_t j = 0; j < features_.columns; ++j) {
          const std::size_t at = features_.fortran_order ? j * features_.rows + sample.place
                                                         : sample.place * features_.columns + j;
          to[j] = static_cast<float>(column.values[at]);
          squares += static_cast<double>(to[j]) * static_cast<double>(to[j]);
        }
      },
      features_.values);
  if (squares > 0 && std::isfinite(squares)) return;
  origin_.fail(
      fmt::format("features, {} is zero or not finite; expected a direction", sample.path));
}

const FeatureSource* feature_source(const Dataset& dataset) {
  return dynamic_cast<const FeatureSource*>(dataset.source.get());
}

const DatasetFormat kFeatureArrays = {
    "features", "a .npz, .pt or .safetensors with features, label and names, instead of images",
    false, recognise_features, open_features};

}  // namespace openworld

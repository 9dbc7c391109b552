#include "openworld/openset/open_set_arrays.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "openworld/io/feature_reader.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"

namespace openworld {
namespace {

NpyArray required(const ZipArchive& archive, const char* name, const char* expected) {
  auto array = read_npz_array(archive, name);
  if (!array) archive.origin().fail(fmt::format("no {}; expected {}", name, expected));
  return std::move(*array);
}

Matrix matrix_with_rows(const NpyArray& array, const Origin& origin) {
  Matrix matrix = to_matrix(array, origin);
  if (matrix.rows == 0) {
    origin.fail(fmt::format("{} has no rows; expected one or more", array.name));
  }
  return matrix;
}

Matrix read_matrix(const ZipArchive& archive, const char* name, const char* expected) {
  return matrix_with_rows(required(archive, name, expected), archive.origin());
}

Column<std::int32_t> labels_of(const NpyArray& array, const Origin& origin) {
  require_dimensions(array, 1, origin);
  return to_integers<std::int32_t>(array, "the index of a class", origin);
}

Column<std::int32_t> read_labels(const ZipArchive& archive) {
  return labels_of(required(archive, "label", "the index of each image's class"), archive.origin());
}

std::int64_t read_negatives(const ZipArchive& archive) {
  const auto array = read_npz_array(archive, "negatives");
  if (!array) return 0;
  if (array->header.count != 1) {
    archive.origin().fail(
        fmt::format("negatives has shape {}; expected one number, that of negative columns",
                    shape_text(array->header.shape)));
  }
  return to_integers<std::int32_t>(*array, "a number of columns", archive.origin()).values[0];
}

void check_shape(std::size_t rows, std::size_t labels, std::size_t columns, std::size_t classes,
                 const char* images, const Origin& origin) {
  if (labels != rows) {
    origin.fail(fmt::format("label has {} rows; expected {}, as many as {}", labels, rows, images));
  }
  if (columns > std::size_t{std::numeric_limits<std::int32_t>::max()} ||
      rows > std::size_t{std::numeric_limits<std::uint32_t>::max()}) {
    origin.fail(fmt::format("{} images and {} queries are too many; expected below 2^32 and 2^31",
                            rows, columns));
  }
  if (classes == 0) origin.fail("no class is left; expected one or more that are not negative");
}

}  // namespace

FeatureArrays load_features(const std::string& path, FeatureFile kind) {
  const FeatureReader reader(path, "openset");
  const Origin& origin = reader.origin();
  FeatureArrays arrays;
  arrays.features = {to_matrix(reader.features(), origin), "features", origin};
  if (kind == FeatureFile::kImages) {
    auto labels = reader.labels();
    if (!labels) origin.fail("no label; expected the index of each image's class");
    if (!std::holds_alternative<Column<std::int32_t>>(*labels)) {
      origin.fail("label is text; expected the index of each image's class");
    }
    arrays.label = std::get<Column<std::int32_t>>(*std::move(labels));
    return arrays;
  }
  arrays.names = reader.names();
  const std::size_t rows = arrays.features.features.rows;
  if (!arrays.names.empty() && arrays.names.size() != rows) {
    origin.fail(fmt::format("names has {} entries; expected {}, one for each row of features",
                            arrays.names.size(), rows));
  }
  return arrays;
}

OpenSetInput load_logits(const std::string& path) {
  const Origin origin{"openset", path};
  const ZipArchive archive(map_file(origin), origin);
  Matrix logits = read_matrix(archive, "logits", "an array [images, classes + negatives]");
  OpenSetInput input =
      logits_input(std::move(logits), read_labels(archive), read_negatives(archive), origin);
  const std::size_t columns = input.source->columns();
  std::vector<std::string> names;
  if (const auto array = read_npz_array(archive, "names")) {
    require_dimensions(*array, 1, origin);
    const auto classes = static_cast<std::size_t>(input.classes);
    if (array->header.count != columns && array->header.count != classes) {
      origin.fail(fmt::format("names has {} entries; expected {}, one for each column of logits",
                              array->header.count, columns));
    }
    names = to_strings(*array, origin);
    input.extra_names.assign(names.begin() + input.classes, names.end());
    names.resize(classes);
    input.names = std::move(names);
  }
  return input;
}

OpenSetInput load_logits_and_labels(const std::string& logits, const std::string& labels,
                                    std::int64_t negatives) {
  const Origin origin{"openset", logits}, label_origin{"openset", labels};
  OpenSetInput input = logits_input(
      matrix_with_rows(parse_npy(map_file(origin), "logits", origin), origin),
      labels_of(parse_npy(map_file(label_origin), "label", label_origin), label_origin), negatives,
      origin);
  input.origin = label_origin;
  return input;
}

OpenSetInput logits_input(Matrix logits, Column<std::int32_t> label, std::int64_t negatives,
                          const Origin& origin) {
  const auto columns = static_cast<std::int64_t>(logits.columns);
  if (negatives < 0 || negatives >= columns) {
    origin.fail(
        fmt::format("negatives is {}; expected 0 to {}, the number of columns of logits "
                    "less one class",
                    negatives, columns - 1));
  }
  const auto classes = static_cast<std::size_t>(columns - negatives);
  check_shape(logits.rows, label.size(), logits.columns, classes, "logits", origin);
  OpenSetInput input;
  input.source = stored_logits(std::move(logits), "logits", origin);
  input.label = std::move(label);
  input.classes = static_cast<std::int32_t>(classes);
  input.origin = origin;
  return input;
}

OpenSetInput features_input(FeatureArrays images, FeatureArrays texts,
                            std::optional<FeatureArrays> extra, const FeatureLogits& options) {
  OpenSetInput input;
  input.origin = images.features.origin;
  const std::size_t classes = texts.features.features.rows;
  const std::size_t columns = classes + (extra ? extra->features.features.rows : 0);
  check_shape(images.features.features.rows, images.label.size(), columns, classes, "features",
              input.origin);
  input.label = std::move(images.label);
  input.classes = static_cast<std::int32_t>(classes);
  input.names = std::move(texts.names);
  std::vector<NamedFeatures> queries = {std::move(texts.features)};
  if (extra) {
    input.extra_names = std::move(extra->names);
    queries.push_back(std::move(extra->features));
  }
  input.source = feature_logits(std::move(images.features), std::move(queries), options);
  return input;
}

}  // namespace openworld

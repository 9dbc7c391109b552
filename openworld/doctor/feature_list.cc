#include "openworld/doctor/feature_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/npz.h"

namespace openworld {
namespace {

// By rows, as floats.
std::vector<float> rows_of(const Matrix& matrix, const Origin& origin) {
  std::vector<float> values(matrix.rows * matrix.columns);
  const auto copy = [&](const auto& column) {
    for (std::size_t r = 0; r < matrix.rows; ++r) {
      for (std::size_t c = 0; c < matrix.columns; ++c) {
        const std::size_t at = matrix.fortran_order ? c * matrix.rows + r : r * matrix.columns + c;
        const auto value = static_cast<float>(column.values[at]);
        if (!std::isfinite(value)) {
          origin.fail(fmt::format("features[{}, {}] is not finite; expected a number", r, c));
        }
        values[r * matrix.columns + c] = value;
      }
    }
  };
  std::visit(copy, matrix.values);
  return values;
}

}  // namespace

FeaturesWithNames read_features(const std::string& path) {
  const Origin origin{"doctor", path};
  const ZipArchive archive(map_file(origin), origin);
  const auto features = read_npz_array(archive, "features");
  if (!features) origin.fail("has no array features; expected one row an image");
  const Matrix matrix = to_matrix(*features, origin);
  const auto one_for_each = [&](std::size_t size, const char* name) {
    if (size == matrix.rows) return;
    origin.fail(fmt::format("{} has {} entries; expected {}, as features has rows", name, size,
                            matrix.rows));
  };
  FeaturesWithNames read;
  FeatureList& list = read.features;
  list.where = path;
  list.width = matrix.columns;
  list.values = rows_of(matrix, origin);
  if (const auto names = read_npz_array(archive, "names")) read.names = to_strings(*names, origin);
  list.labels.assign(matrix.rows, -1);
  if (const auto labels = read_npz_array(archive, "labels"); labels && !read.names.empty()) {
    const auto column = to_integers<std::int32_t>(*labels, "an index of names, or -1", origin);
    one_for_each(column.size(), "labels");
    list.labels.assign(column.values.begin(), column.values.end());
  }
  const auto beyond = [&](std::int32_t label) {
    return label < -1 || label >= static_cast<std::int32_t>(read.names.size());
  };
  if (const auto at = std::ranges::find_if(list.labels, beyond); at != list.labels.end()) {
    origin.fail(fmt::format("labels[{}] is {}; expected -1 to {}", at - list.labels.begin(), *at,
                            static_cast<std::int64_t>(read.names.size()) - 1));
  }
  if (const auto paths = read_npz_array(archive, "paths")) {
    list.images = to_strings(*paths, origin);
    one_for_each(list.images.size(), "paths");
  } else {
    for (std::size_t i = 0; i < matrix.rows; ++i) list.images.push_back(fmt::format("row {}", i));
  }
  list.splits.assign(matrix.rows, "");
  if (const auto splits = read_npz_array(archive, "splits")) {
    list.splits = to_strings(*splits, origin);
    one_for_each(list.splits.size(), "splits");
  }
  return read;
}

}  // namespace openworld

#include "openworld/doctor/feature_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "openworld/base/quotes.h"
#include "openworld/base/text_map.h"
#include "openworld/io/feature_reader.h"
#include "openworld/io/npy_values.h"

namespace openworld {
namespace {

constexpr std::int32_t kMostUnnamed = 1'000'000;  // classes of a file without names
constexpr std::string_view kUnknown = "unknown";  // the label of an image of no class

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

// By row, -1 where an image has no class; nothing where the file has no labels. Without a list of
// names the labels become it: texts, or numbers as texts.
std::optional<std::vector<std::int32_t>> labels_of(const FeatureReader& reader,
                                                   std::vector<std::string>& names) {
  const std::optional<ClassLabels> labels = reader.labels();
  if (!labels) return std::nullopt;
  std::vector<std::int32_t> indices;
  if (const auto* texts = std::get_if<std::vector<std::string>>(&*labels)) {
    if (names.empty()) {
      const std::set<std::string> all(texts->begin(), texts->end());
      std::ranges::copy_if(all, std::back_inserter(names),
                           [](const std::string& name) { return name != kUnknown; });
    }
    TextViewMap<std::int32_t> places;
    for (std::size_t c = 0; c < names.size(); ++c) {
      places.emplace(names[c], static_cast<std::int32_t>(c));
    }
    for (const std::string& text : *texts) {
      const auto at = places.find(text);
      if (at == places.end() && text != kUnknown) {
        reader.origin().fail(fmt::format("label[{}] is {}, which is not among the names",
                                         indices.size(), in_quotes(text)));
      }
      indices.push_back(at == places.end() ? -1 : at->second);
    }
    return indices;
  }
  const auto& numbers = std::get<Column<std::int32_t>>(*labels).values;
  indices.assign(numbers.begin(), numbers.end());
  if (names.empty()) {
    const auto last = indices.empty() ? -1 : *std::ranges::max_element(indices);
    for (std::int32_t c = 0; c <= std::min(last, kMostUnnamed - 1); ++c) {
      names.push_back(std::to_string(c));
    }
  }
  const auto beyond = [&](std::int32_t label) {
    return label < -1 || std::cmp_greater_equal(label, names.size());
  };
  if (const auto at = std::ranges::find_if(indices, beyond); at != indices.end()) {
    reader.origin().fail(fmt::format("label[{}] is {}; expected -1 to {}", at - indices.begin(),
                                     *at, static_cast<std::int64_t>(names.size()) - 1));
  }
  return indices;
}

}  // namespace

FeaturesWithNames read_features(const std::string& path) {
  const FeatureReader reader(path, "doctor");
  const Origin& origin = reader.origin();
  const NpyArray features = reader.features();
  if (features.header.shape.size() != 2) {
    origin.fail(fmt::format("{} has shape {}; expected [images, dimensions]", features.name,
                            shape_text(features.header.shape)));
  }
  const Matrix matrix = to_matrix(features, origin);
  FeaturesWithNames read{.features = {}, .names = reader.names()};
  FeatureList& list = read.features;
  list.where = path;
  list.width = matrix.columns;
  list.values = rows_of(matrix, origin);
  list.labels = labels_of(reader, read.names).value_or(std::vector(matrix.rows, std::int32_t{-1}));
  list.splits = reader.splits();
  if (list.splits.empty()) list.splits.assign(matrix.rows, "");
  list.images = reader.paths();
  if (list.images.empty()) {
    for (std::size_t i = 0; i < matrix.rows; ++i) list.images.push_back(fmt::format("row {}", i));
  }
  const auto one_for_each = [&](std::size_t size, const char* name) {
    if (size == matrix.rows) return;
    origin.fail(fmt::format("{} has {} entries; expected {}, as {} has rows", name, size,
                            matrix.rows, features.name));
  };
  one_for_each(list.labels.size(), "label");
  one_for_each(list.splits.size(), "split");
  one_for_each(list.images.size(), "path");
  return read;
}

}  // namespace openworld

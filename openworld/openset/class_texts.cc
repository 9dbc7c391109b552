#include "openworld/openset/class_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "openworld/io/class_choice.h"

namespace openworld {
namespace {

// Rows of prompts, wherever they stand in the array.
struct PromptRows {
  std::size_t rows = 0, width = 0;
  std::size_t inner = 1;  // of each class, where the array has three dimensions
  bool fortran_order = false;

  // The place of item j of row i.
  std::size_t at(std::size_t i, std::size_t j) const {
    if (!fortran_order) return i * width + j;
    const std::size_t classes = rows / inner;
    return (j * inner + i % inner) * classes + i / inner;
  }
};

PromptRows rows_of(const NpyArray& array) {
  const auto& shape = array.header.shape;
  PromptRows rows;
  rows.inner = shape.size() == 3 ? shape[1] : 1;
  rows.rows = shape[0] * rows.inner;
  rows.width = shape.back();
  rows.fortran_order = array.header.fortran_order;
  return rows;
}

[[noreturn]] void refuse_count(const char* what, std::size_t got, std::size_t expected,
                               const char* each, const Origin& origin) {
  origin.fail(
      fmt::format("{} has {} entries; expected {}, one for each {}", what, got, expected, each));
}

// The class of each row, and the names where the labels bring them.
std::vector<std::size_t> classes_of(const PromptRows& rows, const std::optional<ClassLabels>& label,
                                    std::vector<std::string>& names, const NpyArray& array,
                                    const Origin& origin) {
  std::vector<std::size_t> classes(rows.rows);
  if (!label) {
    for (std::size_t i = 0; i < rows.rows; ++i) classes[i] = i / rows.inner;
    return classes;
  }
  if (array.header.shape.size() != 2) {
    origin.fail(
        fmt::format("{} has shape {} beside the class of each row; expected [rows, "
                    "dimensions]",
                    array.name, shape_text(array.header.shape)));
  }
  if (label_count(*label) != rows.rows) {
    refuse_count("label", label_count(*label), rows.rows, "row of features", origin);
  }
  if (const auto* index = std::get_if<Column<std::int32_t>>(&*label)) {
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const std::int32_t c = index->values[i];
      // As every class has a prompt, there are at most as many classes as rows.
      if (c < 0 || static_cast<std::size_t>(c) >= rows.rows) {
        origin.fail(fmt::format("label[{}] is {}; expected the index of a class, 0 to {}", i, c,
                                rows.rows - 1));
      }
      classes[i] = static_cast<std::size_t>(c);
    }
    return classes;
  }
  const auto& texts = std::get<std::vector<std::string>>(*label);
  const bool given = !names.empty();
  std::map<std::string, std::size_t> known;
  for (std::size_t c = 0; c < names.size(); ++c) known.emplace(names[c], c);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const auto [found, is_new] = known.try_emplace(texts[i], names.size());
    if (is_new && given) {
      origin.fail(
          fmt::format("label[{}] is {}; expected one of the names", i, in_quotes(texts[i])));
    }
    if (is_new) names.push_back(texts[i]);
    classes[i] = found->second;
  }
  return classes;
}

template <class T>
class Mean {
 public:
  Mean(std::size_t classes, std::size_t width) : sums_(classes * width), width_(width) {}

  // False if the row has no direction.
  bool add(std::size_t c, const std::vector<double>& row, bool normalize) {
    double factor = 1;
    if (normalize) {
      double squares = 0;
      for (const double value : row) squares += value * value;
      if (!(squares > 0) || !std::isfinite(squares)) return false;
      factor = 1 / std::sqrt(squares);
    }
    for (std::size_t j = 0; j < width_; ++j) sums_[c * width_ + j] += row[j] * factor;
    return true;
  }

  Matrix finish(const std::vector<std::size_t>& counts) && {
    std::vector<T> values(sums_.size());
    for (std::size_t c = 0; c < counts.size(); ++c) {
      const auto n = static_cast<double>(counts[c]);
      for (std::size_t j = c * width_; j < (c + 1) * width_; ++j) {
        values[j] = static_cast<T>(sums_[j] / n);
      }
    }
    return {make_column(std::move(values)), counts.size(), width_, false};
  }

 private:
  std::vector<double> sums_;
  std::size_t width_;
};

}  // namespace

ClassTexts class_texts(const NpyArray& prompts, const std::optional<ClassLabels>& label,
                       std::vector<std::string> names, TextEnsemble ensemble, bool normalize,
                       const Origin& origin) {
  const PromptRows rows = rows_of(prompts);
  if (rows.rows == 0 || rows.width == 0) {
    origin.fail(fmt::format("{} has shape {}; expected one or more rows and dimensions",
                            prompts.name, shape_text(prompts.header.shape)));
  }
  const std::vector<std::size_t> classes = classes_of(rows, label, names, prompts, origin);
  const std::size_t count =
      std::max(*std::ranges::max_element(classes) + 1, label ? names.size() : std::size_t{0});
  if (!names.empty() && names.size() != count) {
    if (prompts.header.shape.size() == 2 && names.size() == rows.width) {
      origin.fail(
          fmt::format("{} has shape {} and there are {} names; it seems transposed, "
                      "expected [classes, dimensions]",
                      prompts.name, shape_text(prompts.header.shape), names.size()));
    }
    refuse_count("names", names.size(), count, "class of features", origin);
  }
  std::vector<std::size_t> counts(count);
  for (const std::size_t c : classes) ++counts[c];
  if (const auto none = std::ranges::find(counts, std::size_t{0}); none != counts.end()) {
    const auto c = static_cast<std::size_t>(none - counts.begin());
    origin.fail(fmt::format("class {}{} has no row; expected one or more for each of {} classes", c,
                            names.empty() ? "" : ", " + in_quotes(names[c]) + ",", count));
  }
  const FloatColumn values = to_floats(prompts, origin);
  const auto average = [&]<class T>(const Column<T>& items) {
    Mean<T> mean(count, rows.width);
    std::vector<double> row(rows.width);
    for (std::size_t i = 0; i < rows.rows; ++i) {
      for (std::size_t j = 0; j < rows.width; ++j) {
        const double value = items.values[rows.at(i, j)];
        if (!std::isfinite(value)) {
          origin.fail(
              fmt::format("{}: row {} has a value that is not finite at {}", prompts.name, i, j));
        }
        row[j] = value;
      }
      // One prompt is left as it is: scaling it twice would round it twice.
      const bool scale = normalize && counts[classes[i]] > 1;
      if (!mean.add(classes[i], row, scale)) {
        origin.fail(fmt::format("{}: row {} has length 0 or infinity; a cosine needs a direction",
                                prompts.name, i));
      }
    }
    return std::move(mean).finish(counts);
  };
  Matrix matrix = std::visit(average, values);
  const bool averaged = rows.rows > count;
  return {.features = {std::move(matrix), prompts.name, origin},
          .names = std::move(names),
          .prompts = rows.rows,
          .ensemble = averaged ? ensemble : TextEnsemble::kFeatures};
}

}  // namespace openworld

// Predictions in a CSV, one row a sample.

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "openworld/predictions/predictions_parts.h"

namespace openworld {
namespace {

template <class T>
std::optional<Column<T>> read_words(const CsvTable& table, std::string_view name,
                                    std::span<const Word> words, std::string_view expected) {
  const auto column = table.find(name);
  if (!column) return std::nullopt;
  std::vector<T> values(table.rows());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::optional<int> value = find_word(table.cell(row, *column), words);
    if (!value) table.fail_cell(row, *column, expected);
    values[row] = static_cast<T>(*value);
  }
  return make_column(std::move(values));
}

std::optional<Column<std::int32_t>> read_indices(const CsvTable& table, std::string_view name) {
  const auto column = table.find(name);
  if (!column) return std::nullopt;
  std::vector<std::int32_t> values(table.rows());
  for (std::size_t row = 0; row < values.size(); ++row) {
    const std::int64_t value = table.integer(row, *column);
    if (!std::in_range<std::int32_t>(value)) table.fail_cell(row, *column, "an index of a name");
    values[row] = static_cast<std::int32_t>(value);
  }
  return make_column(std::move(values));
}

// Which columns are prefix_0, prefix_1, ..., in this order. They may stand anywhere in the table.
std::vector<std::size_t> numbered_columns(const CsvTable& table, std::string_view prefix) {
  constexpr std::size_t kMissing = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.columns().size(); ++i) {
    const std::string_view name = table.columns()[i];
    if (!name.starts_with(prefix)) continue;
    const std::string_view digits = name.substr(prefix.size());
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    const bool canonical = digits == "0" || !digits.starts_with('0');
    if (error != std::errc() || end != digits.data() + digits.size() || !canonical ||
        index >= table.columns().size()) {
      table.origin().fail(fmt::format("column {}; expected {}0, {}1, ... without gaps",
                                      in_quotes(name), prefix, prefix));
    }
    if (index >= order.size()) order.resize(index + 1, kMissing);
    order[index] = i;
  }
  for (std::size_t index = 0; index < order.size(); ++index) {
    if (order[index] == kMissing) {
      table.origin().fail(fmt::format("no column {}{}; expected {}0 to {}{} without gaps", prefix,
                                      index, prefix, prefix, order.size() - 1));
    }
  }
  return order;
}

std::optional<Matrix> read_matrix(const CsvTable& table, std::string_view prefix) {
  const auto columns = numbered_columns(table, prefix);
  if (columns.empty()) return std::nullopt;
  std::vector<double> values;
  values.reserve(table.rows() * columns.size());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (const std::size_t column : columns) values.push_back(table.number(row, column));
  }
  return Matrix{make_column(std::move(values)), table.rows(), columns.size(), false};
}

}  // namespace

std::optional<int> find_word(std::string_view text, std::span<const Word> words) {
  for (const Word& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

Parts read_csv_parts(const CsvTable& table) {
  Parts parts;
  parts.side = read_words<std::int8_t>(table, "side", kSideWords, kSideWordsExpected);
  if (const auto column = table.find("score")) parts.score = make_column(table.numbers(*column));
  if (const auto column = table.find("fit")) parts.fit = make_column(table.numbers(*column));
  parts.correct = read_words<std::uint8_t>(table, "correct", kFlagWords, kFlagWordsExpected);
  parts.overall_correct =
      read_words<std::uint8_t>(table, "overall_correct", kFlagWords, kFlagWordsExpected);
  parts.label = read_indices(table, "label");
  parts.predicted = read_indices(table, "predicted");
  parts.base_logits = read_matrix(table, "base_logits_");
  parts.new_logits = read_matrix(table, "new_logits_");
  return parts;
}

}  // namespace openworld

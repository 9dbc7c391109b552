#pragma once

// A table for people: the first column to the left, numbers to the right. It is written as aligned
// text here, and in other formats by table_format.h.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace openworld {

// What a cell says, in parts that formats show in their own way.
struct TextCell {
  TextCell(std::string words) : text(std::move(words)) {}
  TextCell(const char* words) : text(words) {}

  std::string text;
  std::string reach{};            // half the width of an interval: "±1.10"
  std::string count{};            // what a value is of: "(2/3)"
  std::optional<bool> starred{};  // the best, or significant; none: the column has no stars
  std::optional<int> mark{};      // 1 better, -1 worse, 0 neither; none: the column has no marks
};

// A value with half its interval, if there is one, and a star if it is the best of its column.
TextCell value_cell(std::string value, std::string_view reach, bool best);

// With a star if it is significant.
TextCell starred_cell(std::string text, bool star);

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  // REQUIRES: as many cells as the header.
  void add(std::vector<TextCell> cells);
  template <class Text>
  void add(std::vector<Text> texts) {
    add(std::vector<TextCell>(texts.begin(), texts.end()));
  }

  // This column to the left too: words, not numbers.
  void align_left(std::size_t column);

  const std::vector<std::string>& header() const { return header_; }
  const std::vector<std::vector<TextCell>>& rows() const { return rows_; }
  bool is_left(std::size_t column) const { return left_[column]; }

  // Lines end with a line break; columns are two spaces apart. Widths count UTF-8 characters. Stars
  // are *, marks + and -; both take their place in every cell of their column, so that numbers stay
  // aligned.
  std::string text() const;

 private:
  std::vector<std::string> header_;
  std::vector<bool> left_;
  std::vector<std::vector<TextCell>> rows_;
};

// 0.6213 as "62.13"; counts as they are.
std::string percent(double value, int decimals = 2);

// A p-value with four decimals.
std::string p_text(double p);

}  // namespace openworld

#pragma once

// Tables of text: CSV with a header line (RFC 4180), or the same with tabs.
//
// Cells are separated by commas, or by tabs if the header has tabs and no commas. Lines end in LF
// or CRLF; the last may lack it, and empty lines at the end are ignored. A cell in double quotes
// may hold separators, line ends and doubled quotes. A UTF-8 byte order mark is skipped. Nothing is
// trimmed. Everything else is refused: rows of another length than the header, empty or repeated
// column names, NUL bytes, quotes inside plain cells.
//
// One pass after the cells are counted; memory is 8 bytes a cell beside the text itself.

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "openworld/base/text_map.h"
#include "openworld/io/column.h"
#include "openworld/io/origin.h"

namespace openworld {

class CsvTable {
 public:
  // Parses `bytes`, which the table keeps alive. Throws Error.
  CsvTable(Bytes bytes, Origin origin);
  CsvTable(CsvTable&&) = default;
  CsvTable& operator=(CsvTable&&) = default;

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t rows() const { return cells_.size() / columns_.size(); }
  const Origin& origin() const { return origin_; }

  std::optional<std::size_t> find(std::string_view column) const;
  // The index of a required column; the Error lists the columns of the file.
  std::size_t column(std::string_view name) const;

  // The text of a cell, unquoted.
  std::string_view cell(std::size_t row, std::size_t column) const {
    return text_of(cells_[row * columns_.size() + column]);
  }

  // A cell as a finite double, or as an integer. Error for anything else.
  double number(std::size_t row, std::size_t column) const;
  std::int64_t integer(std::size_t row, std::size_t column) const;
  std::vector<double> numbers(std::size_t column) const;

  // Throws Error("[function] file: line 7, column "score": got "x"; expected `expected`").
  [[noreturn]] void fail_cell(std::size_t row, std::size_t column, std::string_view expected) const;

 private:
  class Parser;

  // Where the text of a cell is: its offset in the bytes and its length, or kElsewhere and an index
  // of elsewhere_.
  struct Cell {
    std::uint64_t offset : 40;
    std::uint64_t length : 24;
  };
  static constexpr std::uint64_t kElsewhere = (std::uint64_t{1} << 24) - 1;
  static constexpr std::uint64_t kOffsets = std::uint64_t{1} << 40;

  std::string_view text_of(Cell cell) const {
    if (cell.length == kElsewhere) return elsewhere_[cell.offset];
    return as_text(bytes_.values).substr(cell.offset, cell.length);
  }
  void add_cell(std::string_view text);

  Bytes bytes_;
  Origin origin_;
  std::vector<std::string> columns_;
  TextMap<std::size_t> places_;              // of columns
  std::vector<Cell> cells_;                  // by rows
  std::vector<std::string_view> elsewhere_;  // long cells, and those of unescaped_
  std::deque<std::string> unescaped_;        // what cells with doubled quotes view
  // (row, its line) after each cell with line ends in it; elsewhere lines advance with the rows.
  std::vector<std::pair<std::size_t, std::size_t>> lines_;
};

// Maps and parses a file.
CsvTable read_csv(const Origin& origin);

}  // namespace openworld

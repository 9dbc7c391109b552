#include "openworld/io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "openworld/io/file_kind.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"

namespace openworld {

class CsvTable::Parser {
 public:
  Parser(CsvTable& table, std::string_view text)
      : table_(table), at_(text.data()), end_(text.data() + text.size()) {}

  void parse() {
    refuse_nul();
    if (end_ - at_ >= 3 && std::memcmp(at_, "\xef\xbb\xbf", 3) == 0) at_ += 3;
    drop_empty_tail();
    if (at_ == end_) table_.origin_.fail("is empty; expected a header line with column names");
    choose_separator();
    reserve();
    parse_header();
    if (line_ != 2) table_.lines_.emplace_back(0, line_);
    const std::size_t width = table_.columns_.size();
    for (std::size_t row = 0; at_ != end_; ++row) {
      const std::size_t line = line_;
      const std::size_t cells = parse_row();
      if (cells != width) {
        fail(line, fmt::format("{} cells; expected {}, as in the header", cells, width));
      }
      if (line_ != line + 1) table_.lines_.emplace_back(row + 1, line_);
    }
  }

 private:
  [[noreturn]] void fail(std::size_t line, std::string_view what) const {
    table_.origin_.fail(fmt::format("line {}: {}", line, what));
  }

  void refuse_nul() const {
    const void* nul = at_ == end_ ? nullptr : std::memchr(at_, '\0', end_ - at_);
    if (nul == nullptr) return;
    constexpr std::size_t kStart = 16;
    const std::string_view kind = foreign_kind(std::string_view(at_, end_).substr(0, kStart));
    if (!kind.empty()) table_.origin_.fail(fmt::format("is {}; expected a CSV", kind));
    fail(1 + std::count(at_, static_cast<const char*>(nul), '\n'), "NUL byte; expected text");
  }

  void drop_empty_tail() {
    while (at_ != end_ && end_[-1] == '\n') {
      const char* line_end = end_ - 1;
      if (line_end != at_ && line_end[-1] == '\r') --line_end;
      if (line_end != at_ && line_end[-1] != '\n') return;
      end_ = line_end;
    }
  }

  void choose_separator() {
    const char* line_end = std::find(at_, end_, '\n');
    const bool comma = std::find(at_, line_end, ',') != line_end;
    const bool tab = std::find(at_, line_end, '\t') != line_end;
    separator_ = tab && !comma ? '\t' : ',';
    for (const unsigned char c : {separator_, '\n', '\r', '"'}) special_[c] = true;
  }

  // Room for all cells. Separators in quotes are counted too, which is rarely many.
  void reserve() {
    const auto cells = static_cast<std::size_t>(
        1 + std::count_if(at_, end_, [&](char c) { return c == separator_ || c == '\n'; }));
    request_memory(cells * sizeof(Cell), table_.bytes_.size(), fmt::format("{} cells", cells),
                   table_.origin_);
    table_.cells_.reserve(cells);
  }

  void parse_header() {
    parse_row();
    std::vector<std::string_view> sorted;
    for (const Cell cell : table_.cells_) {
      const std::string_view name = sorted.emplace_back(table_.text_of(cell));
      if (name.empty()) {
        fail(1, fmt::format("column {} has no name; expected one", table_.columns_.size() + 1));
      }
      table_.places_.emplace(name, table_.columns_.size());
      table_.columns_.emplace_back(name);
    }
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) fail(1, fmt::format("column {} appears twice", in_quotes(*twice)));
    table_.cells_.clear();
  }

  // Appends the cells of one row and moves past its line end. Returns how many there were.
  std::size_t parse_row() {
    for (std::size_t cells = 1;; ++cells) {
      table_.add_cell(at_ != end_ && *at_ == '"' ? parse_quoted() : parse_plain());
      if (at_ != end_ && *at_ == separator_) {
        ++at_;
        continue;
      }
      if (at_ != end_) at_ += *at_ == '\r' ? 2 : 1;
      ++line_;
      return cells;
    }
  }

  // Leaves at_ at a separator, at the line end or at the end of the text.
  std::string_view parse_plain() {
    const char* begin = at_;
    while (at_ != end_ && !special_[static_cast<unsigned char>(*at_)]) ++at_;
    if (at_ != end_ && *at_ == '"') fail(line_, "quote inside a cell; expected it at both ends");
    require_cell_end();
    return {begin, at_};
  }

  std::string_view parse_quoted() {
    const std::size_t first_line = line_;
    const char* begin = ++at_;
    bool doubled = false;
    for (;; ++at_) {
      if (at_ == end_) fail(first_line, "unterminated quote");
      if (*at_ == '\n') ++line_;
      if (*at_ != '"') continue;
      if (end_ - at_ < 2 || at_[1] != '"') break;
      doubled = true;
      ++at_;
    }
    const std::string_view raw(begin, at_);
    ++at_;
    require_cell_end();
    return doubled ? unescape(raw) : raw;
  }

  void require_cell_end() const {
    if (at_ == end_ || *at_ == separator_ || *at_ == '\n') return;
    if (*at_ != '\r') fail(line_, "text after a closing quote; expected a separator");
    if (end_ - at_ < 2 || at_[1] != '\n') {
      fail(line_, "carriage return inside a line; expected lines to end in LF or CRLF");
    }
  }

  std::string_view unescape(std::string_view raw) {
    std::string& text = table_.unescaped_.emplace_back();
    for (std::size_t i = 0; i < raw.size(); ++i) {
      text += raw[i];
      if (raw[i] == '"') ++i;
    }
    return text;
  }

  CsvTable& table_;
  const char* at_;
  const char* end_;
  std::size_t line_ = 1;
  char separator_ = ',';
  std::array<bool, 256> special_{};
};

CsvTable::CsvTable(Bytes bytes, Origin origin)
    : bytes_(std::move(bytes)), origin_(std::move(origin)) {
  Parser(*this, as_text(bytes_.values)).parse();
}

void CsvTable::add_cell(std::string_view text) {
  const std::string_view all = as_text(bytes_.values);
  const bool inside = text.data() >= all.data() && text.data() <= all.data() + all.size();
  const auto offset = static_cast<std::uint64_t>(inside ? text.data() - all.data() : 0);
  if (inside && text.size() < kElsewhere && offset < kOffsets) {
    cells_.push_back({offset, text.size()});
  } else {
    cells_.push_back({elsewhere_.size(), kElsewhere});
    elsewhere_.push_back(text);
  }
}

CsvTable read_csv(const Origin& origin) {
  return CsvTable(map_file(origin), origin);
}

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  const auto found = places_.find(column);
  if (found == places_.end()) return std::nullopt;
  return found->second;
}

std::size_t CsvTable::column(std::string_view name) const {
  if (const auto found = find(name)) return *found;
  constexpr std::size_t kListed = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(columns_.size(), kListed); ++i) {
    list += fmt::format("{}{}", i > 0 ? ", " : "", in_quotes(columns_[i]));
  }
  if (columns_.size() > kListed) list += ", ...";
  origin_.fail(fmt::format("no column {}; the header has {}", name, list));
}

void CsvTable::fail_cell(std::size_t row, std::size_t column, std::string_view expected) const {
  std::size_t line = row + 2;
  for (const auto& [first_row, first_line] : lines_) {
    if (first_row <= row) line = first_line + (row - first_row);
  }
  origin_.fail(fmt::format("line {}, column {}: got {}; expected {}", line,
                           in_quotes(columns_[column]), in_quotes(cell(row, column)), expected));
}

double CsvTable::number(std::size_t row, std::size_t column) const {
  const std::string_view text = cell(row, column);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    fail_cell(row, column, "a finite number");
  }
  return value;
}

std::int64_t CsvTable::integer(std::size_t row, std::size_t column) const {
  const std::string_view text = cell(row, column);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_cell(row, column, "an integer");
  }
  return value;
}

std::vector<double> CsvTable::numbers(std::size_t column) const {
  std::vector<double> values(rows());
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = number(row, column);
  return values;
}

}  // namespace openworld

#include "openworld/report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "openworld/base/quotes.h"

namespace openworld {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 do not count.
std::size_t width(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// In one line, as it is printed: names of files may have line breaks and control characters.
std::string cell_text(const TextCell& cell) {
  std::string text = printable_line(cell.text);
  for (const std::string& part : {cell.reach, cell.count}) {
    if (!part.empty()) text += (text.empty() ? "" : " ") + part;
  }
  if (cell.starred) text += *cell.starred ? '*' : ' ';
  if (cell.mark) text += *cell.mark > 0 ? '+' : *cell.mark < 0 ? '-' : ' ';
  return text;
}

}  // namespace

TextCell value_cell(std::string value, std::string_view reach, bool best) {
  TextCell cell = starred_cell(std::move(value), best);
  cell.reach = reach.starts_with(' ') ? reach.substr(1) : reach;
  return cell;
}

TextCell starred_cell(std::string text, bool star) {
  TextCell cell(std::move(text));
  cell.starred = star;
  return cell;
}

TextTable::TextTable(std::vector<std::string> header)
    : header_(std::move(header)), left_(header_.size()) {
  left_[0] = true;
}

void TextTable::add(std::vector<TextCell> cells) {
  assert(cells.size() == header_.size());
  rows_.push_back(std::move(cells));
}

void TextTable::align_left(std::size_t column) {
  left_[column] = true;
}

std::string TextTable::text() const {
  std::vector<std::vector<std::string>> lines(1);
  for (const std::string& title : header_) lines[0].push_back(printable_line(title));
  for (const auto& row : rows_) {
    auto& line = lines.emplace_back();
    for (const TextCell& cell : row) line.push_back(cell_text(cell));
  }
  std::vector<std::size_t> widths(header_.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], width(line[c]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - width(cells[c]), ' ');
      if (c > 0) line += "  ";
      line += left_[c] ? cells[c] + padding : padding + cells[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string p_text(double p) {
  return p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", p);
}

std::string percent(double value, int decimals) {
  return fmt::format("{:.{}f}", value * 100, decimals);
}

}  // namespace openworld

#pragma once

// A cell of a CSV file that is written.

#include <string>
#include <string_view>

namespace openworld {

// The text as RFC 4180 has it: in quotes if it holds a comma, a quote or a line end, quotes
// doubled.
inline std::string csv_cell(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace openworld

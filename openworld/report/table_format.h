#pragma once

// The formats that tables are written in, one row each: --format of every command.
//
//   text   aligned columns (text_table.h); * best or significant, + and - beyond chance
//   md     tables as GitHub renders them; bold, arrows
//   latex  tabulars that need \usepackage{booktabs}; bold, arrows
//   csv    RFC 4180, lines end in CRLF; what stands behind ± is a column of its own
//
// JSON is no format of tables: commands write results, with everything that they know.

#include <span>
#include <string>
#include <string_view>

#include "openworld/report/text_table.h"

namespace openworld {

struct TableFormat {
  std::string_view name;
  std::string (*table)(const TextTable& table);
  // A line of words beside the tables; empty if the format has no place for it.
  std::string (*line)(std::string_view line);
};

std::span<const TableFormat> table_formats();

// Throws Error that names the nearest; `function` is for messages.
const TableFormat& find_table_format(std::string_view name, std::string_view function);

// Words as the formats have them: with what means something there escaped.
std::string md_escape(std::string_view text);
std::string latex_escape(std::string_view text);
// The same of a line, with signs of mathematics for ±, ▲ and ▼.
std::string latex_words(std::string_view text);

}  // namespace openworld

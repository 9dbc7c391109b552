#include "openworld/cli/print_rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "openworld/cli/print_json.h"
#include "openworld/cli/print_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// Texts as they are, lists of them with commas.
std::string field_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(field_text(item));
  return fmt::format("{}", fmt::join(items, ", "));
}

bool is_column(const Json& value) {
  return !value.is_object() && !(value.is_array() && !value.empty() && value[0].is_object());
}

}  // namespace

bool wants_rows(bool json) {
  return json || output_settings().format->name != "text";
}

void print_rows(const std::string& name, const Json& rows, bool json) {
  if (json) return print_json({{name, rows}});
  std::vector<std::string> header;
  for (const auto& [key, value] : rows.at(0).items()) {
    if (is_column(value)) header.push_back(key);
  }
  TextTable table(header);
  for (std::size_t c = 0; c < header.size(); ++c) {
    if (!rows.at(0).at(header[c]).is_number()) table.align_left(c);
  }
  for (const Json& row : rows) {
    std::vector<std::string> cells;
    for (const std::string& key : header) {
      cells.push_back(row.contains(key) ? field_text(row.at(key)) : "");
    }
    table.add(std::move(cells));
  }
  print_table(table);
}

}  // namespace openworld

#pragma once

// Lists whose rows have many fields: lines of words in text, JSON, or a table of the same fields.

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

// Whether a list is wanted as rows: as JSON, or in a format of tables other than text.
bool wants_rows(bool json);

// {name: rows}, or a table with a column for each field of the rows that is no object. REQUIRES:
// wants_rows(json), and rows with the same fields.
void print_rows(const std::string& name, const nlohmann::ordered_json& rows, bool json);

}  // namespace openworld

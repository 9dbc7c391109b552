#include "openworld/osr/method_json.h"

#include <nlohmann/json.hpp>

#include "openworld/io/option_json.h"
#include "openworld/osr/table.h"

namespace openworld {

nlohmann::ordered_json osr_method_json(const OsrMethodRow& row) {
  const std::unique_ptr<OsrOptions> options = row.options();
  OptionList list;
  options->declare(list);
  return {{"name", row.name},
          {"title", row.title},
          {"description", row.description},
          {"citation", row.citation},
          {"options", option_rows_json(list)}};
}

nlohmann::ordered_json osr_methods_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const OsrMethodRow& row : osr_methods()) rows.push_back(osr_method_json(row));
  return rows;
}

}  // namespace openworld

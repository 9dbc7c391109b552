#include "openworld/io/option_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/io/json_fields.h"
#include "openworld/io/json_number.h"

namespace openworld {

using OrderedJson = nlohmann::ordered_json;

OrderedJson option_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return OrderedJson(held); }, value);
}

OrderedJson option_json(const OptionValues& values) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] : values) json[name] = option_json(value);
  return json;
}

OrderedJson option_rows_json(const OptionList& list) {
  OrderedJson rows = OrderedJson::array();
  for (const OptionRow& row : list.rows()) {
    rows.push_back({{"name", row.name},
                    {"default", option_json(row.value())},
                    {"expected", row.expected},
                    {"help", row.help}});
  }
  return rows;
}

OptionValue option_value(const JsonFields& fields, std::string_view key) {
  const nlohmann::json& value = fields[key];
  if (value.is_boolean()) return value.get<bool>();
  if (const std::optional<std::int64_t> integer = json_integer(value)) return *integer;
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  fields.fail(key, "true, false, a number or text");
}

OptionValues option_values(const JsonFields& fields, std::string_view key) {
  constexpr std::size_t kMost = 1000;  // the longest list of options has 40
  const JsonFields object = fields.object(key);
  if (fields[key].size() > kMost) fields.fail(key, fmt::format("at most {} options", kMost));
  OptionValues values;
  for (const auto& [name, value] : fields[key].items()) {
    values.push_back({name, option_value(object, name)});
  }
  return values;
}

}  // namespace openworld

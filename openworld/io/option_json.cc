#include "openworld/io/option_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/io/json_fields.h"

namespace openworld {

using Json = nlohmann::ordered_json;

Json option_json(const OptionValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json option_json(const OptionValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = option_json(value);
  return json;
}

OptionValue option_value(const JsonFields& fields, std::string_view key) {
  const nlohmann::json& value = fields[key];
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  fields.fail(key, "true, false, a number or text");
}

OptionValues option_values(const JsonFields& fields, std::string_view key) {
  const JsonFields object = fields.object(key);
  OptionValues values;
  for (const auto& [name, value] : fields[key].items()) {
    values.push_back({name, option_value(object, name)});
  }
  return values;
}

}  // namespace openworld

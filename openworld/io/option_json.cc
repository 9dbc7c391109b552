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

OptionValues option_values(const JsonFields& fields, std::string_view key) {
  const nlohmann::json& object = fields[key];
  if (!object.is_object()) fields.fail(key, "an object of names and values");
  OptionValues values;
  for (const auto& [name, value] : object.items()) {
    if (value.is_boolean()) {
      values.push_back({name, value.get<bool>()});
    } else if (value.is_number_integer()) {
      values.push_back({name, value.get<std::int64_t>()});
    } else if (value.is_number_float()) {
      values.push_back({name, value.get<double>()});
    } else if (value.is_string()) {
      values.push_back({name, value.get<std::string>()});
    } else {
      fields.fail(key, fmt::format("true, false, a number or text for {}", in_quotes(name)));
    }
  }
  return values;
}

}  // namespace openworld

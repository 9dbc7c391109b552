#include "openworld/runs/json_names.h"

#include <algorithm>

namespace openworld {

std::string name_field(const JsonFields& fields, std::string_view key) {
  const std::string text = fields.text(key, "");
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  if (text.empty() || std::ranges::any_of(text, is_control)) fields.fail(key, "a name");
  return text;
}

std::uint64_t seed_field(const JsonFields& fields, std::string_view key) {
  const nlohmann::json& seed = fields[key];
  if (!seed.is_number_unsigned()) fields.fail(key, "a whole number below 2^64");
  return seed.get<std::uint64_t>();
}

std::vector<std::string> texts_field(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return {};
  const nlohmann::json& list = fields[key];
  const auto is_text = [](const nlohmann::json& value) { return value.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text)) fields.fail(key, "a list of texts");
  return list.get<std::vector<std::string>>();
}

}  // namespace openworld

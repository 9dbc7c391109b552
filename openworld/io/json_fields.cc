#include "openworld/io/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "openworld/io/json_number.h"

namespace openworld {

using Json = nlohmann::json;

JsonFields::JsonFields(const Json& object, std::string name, const Origin& origin)
    : object_(object), name_(std::move(name)), origin_(origin) {
  if (object_.is_object()) return;
  origin_.fail(name_.empty() ? "is not a JSON object; expected one"
                             : fmt::format("has no {} object", name_));
}

std::string JsonFields::full_name(std::string_view key) const {
  return name_.empty() ? std::string(key) : fmt::format("{}.{}", name_, key);
}

void JsonFields::fail(std::string_view key, std::string_view expected) const {
  // ASCII with control characters escaped, shortened for use in a message.
  constexpr std::size_t kShown = 60;
  std::string value = (*this)[key].dump(-1, ' ', true, Json::error_handler_t::replace);
  if (value.size() > kShown) value = value.substr(0, kShown) + "...";
  origin_.fail(fmt::format("{} is {}; expected {}", full_name(key), value, expected));
}

const Json& JsonFields::operator[](std::string_view key) const {
  static const Json kNull;
  const auto found = object_.find(key);
  return found == object_.end() ? kNull : *found;
}

bool JsonFields::has(std::string_view key) const {
  return !(*this)[key].is_null();
}

JsonFields JsonFields::object(std::string_view key) const {
  return {(*this)[key], full_name(key), origin_};
}

std::vector<JsonFields> JsonFields::objects(std::string_view key) const {
  if (!has(key)) return {};
  const Json& list = (*this)[key];
  if (!list.is_array()) fail(key, "a list");
  std::vector<JsonFields> objects;
  for (std::size_t i = 0; i < list.size(); ++i) {
    objects.emplace_back(list[i], fmt::format("{}[{}]", full_name(key), i), origin_);
  }
  return objects;
}

std::int64_t JsonFields::integer(std::string_view key, std::int64_t fallback) const {
  if (!has(key)) return fallback;
  constexpr std::int64_t kMost = std::int64_t{1} << 32;
  const std::optional<std::int64_t> value = json_integer((*this)[key]);
  if (!value || *value < 0 || *value > kMost) fail(key, "a whole number");
  return *value;
}

double JsonFields::number(std::string_view key, double fallback) const {
  if (!has(key)) return fallback;
  if (!(*this)[key].is_number()) fail(key, "a number");
  return (*this)[key].get<double>();
}

bool JsonFields::flag(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!(*this)[key].is_boolean()) fail(key, "true or false");
  return (*this)[key].get<bool>();
}

std::string JsonFields::text(std::string_view key, std::string fallback) const {
  if (!has(key)) return fallback;
  if (!(*this)[key].is_string()) fail(key, "a string");
  return (*this)[key].get<std::string>();
}

std::array<double, 3> JsonFields::triple(std::string_view key,
                                         const std::array<double, 3>& fallback) const {
  if (!has(key)) return fallback;
  const Json& list = (*this)[key];
  const auto is_number = [](const Json& value) { return value.is_number(); };
  if (!list.is_array() || list.size() != 3 || !std::all_of(list.begin(), list.end(), is_number)) {
    fail(key, "three numbers");
  }
  return list.get<std::array<double, 3>>();
}

void JsonFields::expect_integer(std::string_view key, std::int64_t value) const {
  if (integer(key, value) != value) fail(key, fmt::format("{}, as in the tensors", value));
}

void JsonFields::expect_only(const std::vector<std::string_view>& keys) const {
  for (const auto& [key, value] : object_.items()) {
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    const bool says_nothing = value.is_null() || value == false || value == "" ||
                              (value.is_structured() && value.empty());
    if (!says_nothing) fail(key, "no such key, because it is not supported");
  }
}

}  // namespace openworld

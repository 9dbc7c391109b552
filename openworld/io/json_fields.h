#pragma once

// A JSON object of a configuration, read field by field. Errors name the field.

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

class JsonFields {
 public:
  // `name` is the object's name in messages: "vision_config", or "" for the whole file.
  JsonFields(const nlohmann::json& object, std::string name, const Origin& origin);

  // Whether the key is there and not null.
  bool has(std::string_view key) const;
  const nlohmann::json& operator[](std::string_view key) const;

  JsonFields object(std::string_view key) const;
  // The objects of a list, none if the key is absent or null.
  std::vector<JsonFields> objects(std::string_view key) const;

  // The value of the key, or `fallback` if it is absent or null.
  std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  double number(std::string_view key, double fallback) const;
  bool flag(std::string_view key, bool fallback) const;
  std::string text(std::string_view key, std::string fallback) const;

  // Three numbers, or `fallback`.
  std::array<double, 3> triple(std::string_view key, const std::array<double, 3>& fallback) const;

  // Throws Error if the key is present and differs from `value`, which the tensors imply.
  void expect_integer(std::string_view key, std::int64_t value) const;

  // Throws Error for the first key that is neither listed nor null, false, or empty.
  void expect_only(const std::vector<std::string_view>& keys) const;

  // Throws Error: "vision_config.hidden_size is 3; expected ..."
  [[noreturn]] void fail(std::string_view key, std::string_view expected) const;

 private:
  std::string full_name(std::string_view key) const;

  const nlohmann::json& object_;
  std::string name_;
  const Origin& origin_;
};

}  // namespace openworld

#include "openworld/studies/toml_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/nearest_name.h"

namespace openworld {

void fail_at(const Origin& origin, std::int64_t line, std::string_view message) {
  origin.fail(fmt::format("line {}: {}", line, message));
}

std::string type_text(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::string:
      return "text";
    case toml::node_type::integer:
      return fmt::format("{}", node.as_integer()->get());
    case toml::node_type::floating_point:
      return fmt::format("{}", node.as_floating_point()->get());
    case toml::node_type::boolean:
      return node.as_boolean()->get() ? "true" : "false";
    default:
      return "a date or a time";
  }
}

OptionValue toml_value(const toml::node& node, std::string_view key, const Origin& origin) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_floating_point(); value && std::isfinite(value->get())) {
    return value->get();
  }
  fail_at(origin, line_of(node),
          fmt::format("{} is {}; expected true, false, a finite number or text", in_quotes(key),
                      type_text(node)));
}

std::vector<OptionValue> toml_values(const toml::node& node, std::string_view key,
                                     const Origin& origin) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return {toml_value(node, key, origin)};
  std::vector<OptionValue> values;
  for (const toml::node& item : *list) {
    values.push_back(toml_value(item, key, origin));
    if (std::count(values.begin(), values.end(), values.back()) > 1) {
      fail_at(origin, line_of(item),
              fmt::format("{} has the value {} twice", in_quotes(key),
                          printable_line(option_text(values.back()))));
    }
  }
  if (values.empty()) {
    fail_at(origin, line_of(node),
            fmt::format("{} is an empty list; expected a value or a list of them", in_quotes(key)));
  }
  return values;
}

OptionValue joined_toml_value(const toml::node& node, std::string_view key, const Origin& origin) {
  if (!node.is_array()) return toml_value(node, key, origin);
  std::string text;
  for (const OptionValue& value : toml_values(node, key, origin)) {
    if (!text.empty()) text += ',';
    text += option_text(value);
  }
  return text;
}

void expect_keys(const toml::table& table, const std::vector<std::string>& known,
                 const Origin& origin) {
  // toml++ sorts keys by name; the first in the file is meant.
  const toml::key* unknown = nullptr;
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const auto before = [](const toml::key& a, const toml::key& b) {
      return a.source().begin < b.source().begin;
    };
    if (unknown == nullptr || before(key, *unknown)) unknown = &key;
  }
  if (unknown == nullptr) return;
  fail_at(origin, unknown->source().begin.line,
          fmt::format("unknown key {}; {}", in_quotes(unknown->str()),
                      known_names(unknown->str(), known)));
}

void set_from_toml(const toml::table& table, OptionList& list,
                   const std::vector<std::string>& other, const Origin& origin) {
  std::vector<std::string> known;
  for (const OptionRow& row : list.rows()) known.push_back(row.name);
  known.insert(known.end(), other.begin(), other.end());
  expect_keys(table, known, origin);
  for (const OptionRow& row : list.rows()) {
    const toml::node* node = table.get(row.name);
    if (node == nullptr) continue;
    const bool may_be_list = std::ranges::find(kTomlLists, row.name) != std::end(kTomlLists);
    const OptionValue value = may_be_list ? joined_toml_value(*node, row.name, origin)
                                          : toml_value(*node, row.name, origin);
    if (row.assign(value)) continue;
    const bool text = std::holds_alternative<std::string>(value);
    fail_at(origin, line_of(*node),
            fmt::format("{} is {}; expected {}", row.name,
                        text ? in_quotes(option_text(value)) : option_text(value), row.expected));
  }
}

}  // namespace openworld

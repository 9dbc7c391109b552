#pragma once

// A table of a TOML file, read key by key. Errors name the line.

#include <toml++/toml.h>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/option_list.h"
#include "openworld/io/origin.h"

namespace openworld {

// Throws Error: "plan.toml: line 3: message".
[[noreturn]] void fail_at(const Origin& origin, std::int64_t line, std::string_view message);

inline std::int64_t line_of(const toml::node& node) {
  return node.source().begin.line;
}

// The tables of a plan, before any key is looked at. Throws Error for what is not TOML, and for a
// file that is too long or too deep (plan.h).
toml::table parse_plan_table(std::string_view text, const Origin& origin);

// "a list", "a date": what a node is, for messages.
std::string type_text(const toml::node& node);

// A boolean, an integer, a number or text; throws Error for anything else, and for a number that is
// not finite. `key` names it in messages.
OptionValue toml_value(const toml::node& node, std::string_view key, const Origin& origin);

// Throws Error for the first key of the table that is not in `known`, with the nearest of them.
void expect_keys(const toml::table& table, const std::vector<std::string>& known,
                 const Origin& origin);

// A value, or a list of values as one text, its items joined by commas. Throws Error for an empty
// list and for a value that occurs twice.
OptionValue joined_toml_value(const toml::node& node, std::string_view key, const Origin& origin);
std::vector<OptionValue> toml_values(const toml::node& node, std::string_view key,
                                     const Origin& origin);

// Keys whose value may be a list.
inline constexpr std::string_view kTomlLists[] = {"looks", "targets"};

// Sets the options of `list` from the table. Throws Error for an unknown key that is not in
// `other`, and for a value that an option does not take.
void set_from_toml(const toml::table& table, OptionList& list,
                   const std::vector<std::string>& other, const Origin& origin);

}  // namespace openworld

#include "openworld/cli/option_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace openworld {
namespace {

// "INT:INT in [1 - 77]", "TEXT:{sgd,adam}", as CLI11 has them for its own checks.
std::string type_text(const OptionRow& row) {
  const OptionValue value = row.value();
  const char* const type = std::holds_alternative<std::int64_t>(value) ? "INT"
                           : std::holds_alternative<double>(value)     ? "FLOAT"
                                                                       : "TEXT";
  if (row.range.empty()) return type;
  if (row.range[0] == '{') return fmt::format("{}:{}", type, row.range);
  return fmt::format("{}:{} in {}", type, type, row.range);
}

std::string default_text(const OptionRow& row) {
  const OptionValue value = row.value();
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return option_text(value);
}

}  // namespace

std::string option_flag_name(const OptionRow& row) {
  const OptionValue value = row.value();
  const bool* const on = std::get_if<bool>(&value);
  std::string name = row.name;
  std::replace(name.begin(), name.end(), '_', '-');
  return (on != nullptr && *on ? "--no-" : "--") + name;
}

CLI::Option* declare_option(CLI::App& app, const OptionRow& row, const std::string& flag) {
  const OptionValue value = row.value();
  if (const bool* on = std::get_if<bool>(&value)) {
    const auto turn = [row, other = !*on](std::int64_t) { row.assign(other); };
    return app.add_flag_function(flag, turn, *on ? "without " + row.help : row.help);
  }
  // Checked where it is parsed, so that a value is refused by the name of its flag.
  const auto check = [row](const std::string& text) {
    const auto parsed = row.parse(text);
    if (parsed && row.assign(*parsed)) return std::string();
    return fmt::format("got '{}'; expected {}", text, row.expected);
  };
  CLI::Option* const option = app.add_option_function<std::string>(
      flag, [](const std::string&) {}, row.help);
  option->check(check)->type_name(type_text(row))->default_str(default_text(row));
  return option;
}

void declare_options(CLI::App& app, const OptionList& list) {
  for (const OptionRow& row : list.rows()) declare_option(app, row, option_flag_name(row));
}

}  // namespace openworld

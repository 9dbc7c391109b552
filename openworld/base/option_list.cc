#include "openworld/base/option_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/base/quotes.h"

namespace openworld {
namespace {

template <class T>
std::optional<OptionValue> number_of(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const OptionRow& row, const std::string& got, std::string_view function) {
  fail(function, fmt::format("option {} is {}; expected {}", row.name, got, row.expected));
}

}  // namespace

std::string option_text(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double number = std::get<double>(value);
  std::string text = fmt::format("{}", number);
  if (std::isfinite(number) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

void OptionList::add(std::string name, std::int64_t& value, std::int64_t low, std::int64_t high,
                     std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = fmt::format("an integer from {} to {}", low, high),
                   .help = std::move(help),
                   .range = fmt::format("[{} - {}]", low, high),
                   .value = [&value] { return value; },
                   .assign =
                       [&value, low, high](const OptionValue& given) {
                         const auto* number = std::get_if<std::int64_t>(&given);
                         if (number == nullptr || *number < low || *number > high) return false;
                         value = *number;
                         return true;
                       },
                   .parse = number_of<std::int64_t>});
}

void OptionList::add(std::string name, double& value, double low, double high, std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = fmt::format("a number from {:g} to {:g}", low, high),
                   .help = std::move(help),
                   .range = fmt::format("[{:g} - {:g}]", low, high),
                   .value = [&value] { return value; },
                   .assign =
                       [&value, low, high](const OptionValue& given) {
                         double number = 0;
                         if (const auto* whole = std::get_if<std::int64_t>(&given)) {
                           number = static_cast<double>(*whole);
                         } else if (const auto* real = std::get_if<double>(&given)) {
                           number = *real;
                         } else {
                           return false;
                         }
                         if (!(number >= low && number <= high)) return false;
                         value = number;
                         return true;
                       },
                   .parse = number_of<double>});
}

void OptionList::add(std::string name, bool& value, std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = "true or false",
                   .help = std::move(help),
                   .range = "",
                   .value = [&value] { return value; },
                   .assign =
                       [&value](const OptionValue& given) {
                         const bool* flag = std::get_if<bool>(&given);
                         if (flag == nullptr) return false;
                         value = *flag;
                         return true;
                       },
                   .parse = [](const std::string& text) -> std::optional<OptionValue> {
                     if (text != "true" && text != "false") return std::nullopt;
                     return text == "true";
                   }});
}

void OptionList::add(std::string name, std::string& value, std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = "text",
                   .help = std::move(help),
                   .range = "",
                   .value = [&value] { return value; },
                   .assign =
                       [&value](const OptionValue& given) {
                         const auto* text = std::get_if<std::string>(&given);
                         if (text == nullptr) return false;
                         value = *text;
                         return true;
                       },
                   .parse = [](const std::string& text) { return OptionValue(text); }});
}

void OptionList::add(std::string name, std::string& value, std::vector<std::string> choices,
                     std::string help, std::vector<std::pair<std::string, std::string>> old_names) {
  OptionRow& row = add_choices(std::move(name), choices, std::move(help));
  row.value = [&value] { return value; };
  row.assign = [&value, choices = std::move(choices),
                old_names = std::move(old_names)](const OptionValue& given) {
    const auto* text = std::get_if<std::string>(&given);
    if (text == nullptr) return false;
    std::string choice = *text;
    for (const auto& [old_name, now] : old_names) {
      if (choice == old_name) choice = now;
    }
    if (std::find(choices.begin(), choices.end(), choice) == choices.end()) return false;
    value = std::move(choice);
    return true;
  };
}

OptionRow& OptionList::add_choices(std::string name, const std::vector<std::string>& choices,
                                   std::string help) {
  std::vector<std::string> listed = choices;
  std::erase(listed, "");
  OptionRow row;
  row.name = std::move(name);
  row.help = std::move(help);
  row.expected = fmt::format("{}", fmt::join(listed, ", "));
  const std::size_t comma = row.expected.rfind(", ");
  if (comma != std::string::npos) row.expected.replace(comma, 2, " or ");
  row.range = fmt::format("{{{}}}", fmt::join(listed, ","));
  row.parse = [](const std::string& text) { return OptionValue(text); };
  rows_.push_back(std::move(row));
  return rows_.back();
}

bool OptionList::has(std::string_view name) const {
  return std::any_of(rows_.begin(), rows_.end(), [&](const auto& row) { return row.name == name; });
}

OptionRow& OptionList::find(std::string_view name, std::string_view function) {
  for (OptionRow& row : rows_) {
    if (row.name == name) return row;
  }
  std::vector<std::string> names;
  for (const OptionRow& row : rows_) names.push_back(row.name);
  fail(function, fmt::format("no option {}; {}", in_quotes(name), known_names(name, names)));
}

void OptionList::set(std::string_view assignment, std::string_view function) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    fail(function, fmt::format("an option is {}; expected key=value, such as epochs=10",
                               in_quotes(assignment)));
  }
  set(assignment.substr(0, equals), std::string(assignment.substr(equals + 1)), function);
}

void OptionList::set(std::string_view name, const std::string& value, std::string_view function) {
  const OptionRow& row = find(name, function);
  const std::optional<OptionValue> parsed = row.parse(value);
  if (!parsed || !row.assign(*parsed)) refuse(row, in_quotes(value), function);
}

void OptionList::set_values(const OptionValues& values, std::string_view function) {
  for (const auto& [name, value] : values) {
    const OptionRow& row = find(name, function);
    if (row.assign(value)) continue;
    const bool is_text = std::holds_alternative<std::string>(value);
    refuse(row, is_text ? in_quotes(option_text(value)) : option_text(value), function);
  }
}

OptionValues OptionList::values() const {
  OptionValues values;
  for (const OptionRow& row : rows_) values.push_back({row.name, row.value()});
  return values;
}

OptionValues OptionList::changed_from(const OptionList& other) const {
  const OptionValues theirs = other.values();
  OptionValues changed;
  for (NamedOption& mine : values()) {
    const bool same = std::find(theirs.begin(), theirs.end(), mine) != theirs.end();
    if (!same) changed.push_back(std::move(mine));
  }
  return changed;
}

}  // namespace openworld

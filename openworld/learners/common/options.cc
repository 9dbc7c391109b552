#include "openworld/learners/common/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/error.h"
#include "openworld/base/nearest_name.h"
#include "openworld/io/origin.h"

namespace openworld {
namespace {

using Json = nlohmann::json;

template <class T>
Json number_of(const std::string& text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? Json(value) : Json();
}

// What stands where a value is refused.
[[noreturn]] void refuse(const OptionRow& row, const std::string& got, std::string_view function) {
  fail(function, fmt::format("option {} is {}; expected {}", row.name, got, row.expected));
}

struct Refused {};

}  // namespace

void OptionList::add(std::string name, std::int64_t& value, std::int64_t low, std::int64_t high,
                     std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = fmt::format("an integer from {} to {}", low, high),
                   .help = std::move(help),
                   .value = [&value] { return value; },
                   .assign =
                       [&value, low, high](const Json& json) {
                         if (!json.is_number_integer()) throw Refused();
                         const auto number = json.get<std::int64_t>();
                         if (number < low || number > high) throw Refused();
                         value = number;
                       },
                   .parse = number_of<std::int64_t>});
}

void OptionList::add(std::string name, double& value, double low, double high, std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = fmt::format("a number from {:g} to {:g}", low, high),
                   .help = std::move(help),
                   .value = [&value] { return value; },
                   .assign =
                       [&value, low, high](const Json& json) {
                         if (!json.is_number()) throw Refused();
                         const auto number = json.get<double>();
                         if (!(number >= low && number <= high)) throw Refused();
                         value = number;
                       },
                   .parse = number_of<double>});
}

void OptionList::add(std::string name, bool& value, std::string help) {
  rows_.push_back(
      {.name = std::move(name),
       .expected = "true or false",
       .help = std::move(help),
       .value = [&value] { return value; },
       .assign =
           [&value](const Json& json) {
             if (!json.is_boolean()) throw Refused();
             value = json.get<bool>();
           },
       .parse =
           [](const std::string& text) {
             return text == "true" ? Json(true) : text == "false" ? Json(false) : Json();
           }});
}

void OptionList::add(std::string name, std::string& value, std::string help) {
  rows_.push_back({.name = std::move(name),
                   .expected = "text",
                   .help = std::move(help),
                   .value = [&value] { return value; },
                   .assign =
                       [&value](const Json& json) {
                         if (!json.is_string()) throw Refused();
                         value = json.get<std::string>();
                       },
                   .parse = [](const std::string& text) { return Json(text); }});
}

void OptionList::add(std::string name, std::string& value, std::vector<std::string> choices,
                     std::string help) {
  add(std::move(name), value, std::move(help));
  OptionRow& row = rows_.back();
  row.expected = fmt::format("{}", fmt::join(choices, ", "));
  const std::size_t comma = row.expected.rfind(", ");
  if (comma != std::string::npos) row.expected.replace(comma, 2, " or ");
  row.assign = [&value, choices = std::move(choices)](const Json& json) {
    if (!json.is_string()) throw Refused();
    auto text = json.get<std::string>();
    if (std::find(choices.begin(), choices.end(), text) == choices.end()) throw Refused();
    value = std::move(text);
  };
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
  const std::string near = nearest_name(name, names);
  fail(function, fmt::format("no option {}{}; there are {}", in_quotes(name),
                             near.empty() ? "" : fmt::format(", did you mean {}?", near),
                             fmt::join(names, ", ")));
}

void OptionList::set(std::string_view assignment, std::string_view function) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    fail(function,
         fmt::format("--set has {}; expected key=value, such as epochs=10", in_quotes(assignment)));
  }
  set(assignment.substr(0, equals), std::string(assignment.substr(equals + 1)), function);
}

void OptionList::set(std::string_view name, const std::string& value, std::string_view function) {
  const OptionRow& row = find(name, function);
  try {
    row.assign(row.parse(value));
  } catch (const Refused&) {
    refuse(row, in_quotes(value), function);
  }
}

void OptionList::set_values(const Json& values, std::string_view function) {
  if (!values.is_object()) fail(function, "options are not an object of names and values");
  for (const auto& [name, value] : values.items()) {
    const OptionRow& row = find(name, function);
    try {
      row.assign(value);
    } catch (const Refused&) {
      refuse(row, value.dump(-1, ' ', true, Json::error_handler_t::replace), function);
    }
  }
}

nlohmann::ordered_json OptionList::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const OptionRow& row : rows_) json[row.name] = row.value();
  return json;
}

}  // namespace openworld

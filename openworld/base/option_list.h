#pragma once

// Options, declared once, next to the value: name, default, range and help. Parsing, listings and
// files are generated from the declaration.
//
//   struct CoopOptions : LearnerOptions {
//     std::int64_t tokens = 16;
//     void declare(OptionList& list) override { list.add("tokens", tokens, 1, 77, "context rows");
//     }
//   };

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace openworld {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// "true", "16", "0.002"; strings unchanged. A whole double ends in ".0", so it stays a double.
std::string option_text(const OptionValue& value);

struct NamedOption {
  std::string name;
  OptionValue value;

  bool operator==(const NamedOption&) const = default;
};

// In the order declared.
using OptionValues = std::vector<NamedOption>;

struct OptionRow {
  std::string name;
  std::string expected;  // "an integer from 1 to 77", "sgd or adam"
  std::string help;
  std::string range;  // what is expected, in brief: "[1 - 77]", "{sgd,adam}", or "" for any value
  std::function<OptionValue()> value;                                   // current value
  std::function<bool(const OptionValue&)> assign;                       // false if invalid
  std::function<std::optional<OptionValue>(const std::string&)> parse;  // of "key=value"
};

// Views of the fields they were declared with, which outlive the list.
class OptionList {
 public:
  void add(std::string name, std::int64_t& value, std::int64_t low, std::int64_t high,
           std::string help);
  void add(std::string name, double& value, double low, double high, std::string help);
  void add(std::string name, bool& value, std::string help);
  void add(std::string name, std::string& value, std::string help);  // any string
  // `old_names` are earlier names of choices, still accepted: {"ordinary", "msp"}.
  void add(std::string name, std::string& value, std::vector<std::string> choices, std::string help,
           std::vector<std::pair<std::string, std::string>> old_names = {});
  // One of the named values of an enum. The name "" is not listed: none of them.
  template <class Enum>
  requires std::is_enum_v<Enum>
  void add(std::string name, Enum& value, std::vector<std::pair<std::string, Enum>> choices,
           std::string help);

  const std::vector<OptionRow>& rows() const { return rows_; }
  bool has(std::string_view name) const;

  // "key=value". Throws Error that suggests the nearest option, or says what is expected.
  void set(std::string_view assignment, std::string_view function);
  void set(std::string_view name, const std::string& value, std::string_view function);

  // Throws Error for an unknown name, or a value of the wrong type or out of range. Integers are
  // accepted where a double is expected.
  void set_values(const OptionValues& values, std::string_view function);

  OptionValues values() const;

  // The values that differ from those of `other`, which has the same options.
  OptionValues changed_from(const OptionList& other) const;

 private:
  OptionRow& find(std::string_view name, std::string_view function);
  OptionRow& add_choices(std::string name, const std::vector<std::string>& choices,
                         std::string help);

  std::vector<OptionRow> rows_;
};

template <class Enum>
requires std::is_enum_v<Enum>
void OptionList::add(std::string name, Enum& value,
                     std::vector<std::pair<std::string, Enum>> choices, std::string help) {
  std::vector<std::string> names;
  for (const auto& [choice, meaning] : choices) names.push_back(choice);
  OptionRow& row = add_choices(std::move(name), names, std::move(help));
  row.value = [&value, choices]() -> OptionValue {
    for (const auto& [choice, meaning] : choices) {
      if (meaning == value) return choice;
    }
    return std::string();
  };
  row.assign = [&value, choices = std::move(choices)](const OptionValue& given) {
    const auto* text = std::get_if<std::string>(&given);
    for (const auto& [choice, meaning] : choices) {
      if (text == nullptr || choice != *text) continue;
      value = meaning;
      return true;
    }
    return false;
  };
}

}  // namespace openworld

#pragma once

// Options, declared once: name, default, range and help stand where the value lives, and parsing,
// listing and files come from there.
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
#include <utility>
#include <variant>
#include <vector>

namespace openworld {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// "true", "16", "0.002"; a text as it is. A whole double has ".0", so that it stays one.
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
  std::function<OptionValue()> value;              // as it is now
  std::function<bool(const OptionValue&)> assign;  // false if it cannot be that
  std::function<std::optional<OptionValue>(const std::string&)> parse;  // of "key=value"
};

// Views of the fields they were declared with, which outlive the list.
class OptionList {
 public:
  void add(std::string name, std::int64_t& value, std::int64_t low, std::int64_t high,
           std::string help);
  void add(std::string name, double& value, double low, double high, std::string help);
  void add(std::string name, bool& value, std::string help);
  void add(std::string name, std::string& value, std::string help);  // any text
  // `old_names` are earlier names of choices, still accepted: {"ordinary", "msp"}.
  void add(std::string name, std::string& value, std::vector<std::string> choices, std::string help,
           std::vector<std::pair<std::string, std::string>> old_names = {});

  const std::vector<OptionRow>& rows() const { return rows_; }
  bool has(std::string_view name) const;

  // "key=value". Throws Error that names the nearest option, or what is expected of this one.
  void set(std::string_view assignment, std::string_view function);
  void set(std::string_view name, const std::string& value, std::string_view function);

  // Throws Error for a name that is not there, or a value of another type or out of range. A whole
  // number is a double where one is expected.
  void set_values(const OptionValues& values, std::string_view function);

  OptionValues values() const;

  // The values that differ from those of `other`, which has the same options.
  OptionValues changed_from(const OptionList& other) const;

 private:
  OptionRow& find(std::string_view name, std::string_view function);

  std::vector<OptionRow> rows_;
};

}  // namespace openworld

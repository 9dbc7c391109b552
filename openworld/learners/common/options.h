#pragma once

// Options of a learner, declared once: name, default, range and help stand where the value lives,
// and parsing, listing and JSON come from there.
//
//   struct CoopOptions : LearnerOptions {
//     std::int64_t tokens = 16;
//     void declare(OptionList& list) override { list.add("tokens", tokens, 1, 77, "context rows");
//     }
//   };

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

struct OptionRow {
  std::string name;
  std::string expected;  // "integer from 1 to 77", "sgd or adam"
  std::string help;
  std::function<nlohmann::ordered_json()> value;            // as it is now
  std::function<void(const nlohmann::json&)> assign;        // throws if it cannot be that
  std::function<nlohmann::json(const std::string&)> parse;  // of "key=value"; null if it is not one
};

// Views of the fields they were declared with, which outlive the list.
class OptionList {
 public:
  void add(std::string name, std::int64_t& value, std::int64_t low, std::int64_t high,
           std::string help);
  void add(std::string name, double& value, double low, double high, std::string help);
  void add(std::string name, bool& value, std::string help);
  void add(std::string name, std::string& value, std::string help);  // any text
  void add(std::string name, std::string& value, std::vector<std::string> choices,
           std::string help);

  const std::vector<OptionRow>& rows() const { return rows_; }
  bool has(std::string_view name) const;

  // "key=value". Throws Error that names the nearest option, or what is expected of this one.
  void set(std::string_view assignment, std::string_view function);
  void set(std::string_view name, const std::string& value, std::string_view function);

  // From the JSON that json() gave. Throws Error for a key that is not there or a value out of
  // range.
  void set_values(const nlohmann::json& values, std::string_view function);

  // {name: value}, in the order declared.
  nlohmann::ordered_json json() const;

 private:
  OptionRow& find(std::string_view name, std::string_view function);

  std::vector<OptionRow> rows_;
};

}  // namespace openworld

#include "openworld/cli/eval_details.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json diagnosis_json(const Diagnosis& d) {
  if (!d.defined()) return {{"value", nullptr}, {"why", d.openworld_auc.why}};
  const auto value = [](const MetricValue& v) { return v.defined() ? Json(v.value) : Json(); };
  return {{"openworld_auc", d.openworld_auc.value},
          {"factors",
           {{"base_acc", value(d.base_acc)},
            {"new_acc", value(d.new_acc)},
            {"ranked_given_right", value(d.ranked_given_right)}}},
          {"cost", {{"base", d.cost[0]}, {"new", d.cost[1]}, {"rank", d.cost[2]}}},
          {"if_perfect",
           {{"base", d.if_perfect[0]}, {"new", d.if_perfect[1]}, {"rank", d.if_perfect[2]}}}};
}

void print_diagnosis(const Diagnosis& d) {
  if (!d.defined()) return print_out("\nno diagnosis: {}\n", d.openworld_auc.why);
  const std::string ranked =
      d.ranked_given_right.defined() ? percent(d.ranked_given_right.value) : "-";
  print_out("\nOpenworldAUC {} = BaseAcc {} x NewAcc {} x ranked right given both right {}\n\n",
            percent(d.openworld_auc.value), percent(d.base_acc.value), percent(d.new_acc.value),
            ranked);
  TextTable table({"stage", "costs", "if it were perfect"});
  const char* names[] = {"base classes (g)", "new classes (h)", "ranking (r)"};
  for (int s = 0; s < kStages; ++s) {
    table.add({names[s], percent(d.cost[s]), percent(d.if_perfect[s])});
  }
  print_table(table);
}

std::string ClassNames::of(const ClassAccuracy& c) const {
  if (base_classes == 0) return "";  // then nothing says where the new names begin
  const std::int64_t index = c.side == Side::kBase ? c.label : std::int64_t{base_classes} + c.label;
  return index < static_cast<std::int64_t>(names.size()) ? names[index] : "";
}

Json per_class_json(const std::vector<ClassAccuracy>& classes, const ClassNames& names) {
  Json list = Json::array();
  for (const ClassAccuracy& c : classes) {
    Json json = {{"side", side_name(c.side)}, {"label", c.label}};
    if (const std::string name = names.of(c); !name.empty()) json["name"] = name;
    json["accuracy"] = c.accuracy;
    json["right"] = c.right;
    json["total"] = c.total;
    json["interval"] = {{"low", c.interval.low},
                        {"high", c.interval.high},
                        {"level", c.interval.level},
                        {"method", c.interval.method}};
    list.push_back(std::move(json));
  }
  return list;
}

void print_per_class(const std::vector<ClassAccuracy>& classes, const ClassNames& names) {
  TextTable table({"class", "side", "%", "interval", "right", "total"});
  for (const ClassAccuracy& c : classes) {
    const std::string name = names.of(c);
    table.add({name.empty() ? std::to_string(c.label) : name, std::string(side_name(c.side)),
               percent(c.accuracy),
               fmt::format("[{}, {}]", percent(c.interval.low), percent(c.interval.high)),
               std::to_string(c.right), std::to_string(c.total)});
  }
  print_out("\n");
  print_table(table);
}

}  // namespace openworld

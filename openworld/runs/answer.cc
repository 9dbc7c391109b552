#include "openworld/runs/answer.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/io/csv_cell.h"
#include "openworld/metrics/metric.h"

namespace openworld {

using Json = nlohmann::ordered_json;

const std::string& Answer::class_name() const {
  static const std::string kNone;
  return side == Side::kBase ? base_class : side == Side::kNew ? new_class : kNone;
}

double Answer::probability() const {
  return side == Side::kBase ? base_probability : side == Side::kNew ? new_probability : 0;
}

Json answer_json(const Answer& answer) {
  const std::string& name = answer.class_name();
  Json json = {{"path", answer.path},
               {"side", side_name(answer.side)},
               {"class", name.empty() ? Json() : Json(name)},
               {"r", answer.r},
               {"fit", answer.fit},
               {"base", {{"class", answer.base_class}, {"probability", answer.base_probability}}}};
  if (!answer.new_class.empty()) {
    json["new"] = {{"class", answer.new_class}, {"probability", answer.new_probability}};
  }
  return json;
}

std::string answers_csv(std::span<const Answer> answers) {
  std::string text =
      "path,side,class,probability,r,fit,base_class,base_probability,new_class,new_probability\n";
  const auto probability = [](const std::string& name, double value) {
    return name.empty() ? std::string() : fmt::format("{}", value);
  };
  for (const Answer& a : answers) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_cell(a.path), side_name(a.side),
                        csv_cell(a.class_name()), probability(a.class_name(), a.probability()), a.r,
                        a.fit, csv_cell(a.base_class), a.base_probability, csv_cell(a.new_class),
                        probability(a.new_class, a.new_probability));
  }
  return text;
}

}  // namespace openworld

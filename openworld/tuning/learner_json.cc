#include "openworld/tuning/learner_json.h"

#include <nlohmann/json.hpp>

#include "openworld/io/option_json.h"
#include "openworld/tuning/method.h"

namespace openworld {

nlohmann::ordered_json learner_json(const LearnerRow& row) {
  const Method method{std::string(row.name)};
  return {{"name", row.name},
          {"title", row.title},
          {"description", row.description},
          {"citation", row.citation},
          {"input", image_input_name(row.input)},
          {"gradient", row.gradient},
          {"shot_rule", row.shots == ShotRule::kCoop ? "coop" : "decoop"},
          {"options", option_rows_json(method.list)}};
}

nlohmann::ordered_json learners_json() {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const LearnerRow& row : learners()) rows.push_back(learner_json(row));
  return rows;
}

}  // namespace openworld

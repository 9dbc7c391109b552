// openworld predict, behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"
#include "openworld/tuning/tuned_model.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;
using Threshold = std::optional<StoredThreshold>;

const char* rule_of(const Threshold& threshold) {
  return threshold ? "base if r > threshold"
                   : "base if the largest logit of all names is of a base name";
}

void print_text(const std::vector<Answer>& answers, const Threshold& threshold,
                const std::string& run) {
  TextTable table({"image", "side", "class", "%", "r"});
  for (const Answer& a : answers) {
    const std::string& name = a.is_base ? a.base_class : a.new_class;
    const double probability = a.is_base ? a.base_probability : a.new_probability;
    table.add({a.path, a.is_base ? "base" : "new", name.empty() ? "-" : name,
               name.empty() ? "-" : percent(probability, 1), fmt::format("{:.4f}", a.r)});
  }
  print_table(table);
  print_out("\n");
  if (threshold) {
    print_out(
        "base if r > {:g}: with confidence {:g} % at most {:g} % of base images are missed, "
        "if they are like those it was chosen on\n",
        threshold->value, 100 * threshold->confidence, 100 * threshold->max_miss);
  } else {
    print_out(
        "no threshold was set: {}; `openworld threshold --run {} --max-miss 0.3` sets one "
        "with a guarantee\n",
        rule_of(threshold), run);
  }
}

Json answer_json(const Answer& a) {
  Json json = {{"path", a.path},
               {"side", a.is_base ? "base" : "new"},
               {"class", a.is_base             ? Json(a.base_class)
                         : a.new_class.empty() ? Json()
                                               : Json(a.new_class)},
               {"r", a.r},
               {"base", {{"class", a.base_class}, {"probability", a.base_probability}}}};
  if (!a.new_class.empty()) {
    json["new"] = {{"class", a.new_class}, {"probability", a.new_probability}};
  }
  return json;
}

Json stored_json(const Threshold& threshold) {
  if (!threshold) return nullptr;
  return {{"value", threshold->value},
          {"max_miss", threshold->max_miss},
          {"confidence", threshold->confidence}};
}

}  // namespace

void run_predict(const PredictCommand& command) {
  const RunClock clock;
  const Dataset dataset = image_files(command.images);
  const TunedModel model = TunedModel::open(command.run, command.model);
  const PredictedImages predicted = model.predict(dataset, terminal_observer());
  if (!command.json) return print_text(predicted.answers, model.threshold(), command.run);
  Json images = Json::array();
  for (const Answer& answer : predicted.answers) images.push_back(answer_json(answer));
  print_json({{"schema", "openworld.predict/2"},
              {"source", command.run},
              {"method", model.spec().method},
              {"rule", rule_of(model.threshold())},
              {"threshold", stored_json(model.threshold())},
              {"images", std::move(images)},
              {"skipped", predicted.skipped},
              {"cost", run_cost_json(clock.cost())}});
}

}  // namespace openworld

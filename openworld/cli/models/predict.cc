// openworld predict, behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/run_cost.h"
#include "openworld/metrics/metric.h"
#include "openworld/report/text_table.h"
#include "openworld/tuning/loaded_model.h"
#include "openworld/tuning/tuned_model.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;
using Threshold = std::optional<StoredThreshold>;

std::string rule_of(const Threshold& threshold) {
  if (!threshold) return "base if the largest logit of all names is of a base name";
  return threshold->unknown
             ? "base if r > threshold, else unknown if fit <= unknown.value, else new"
             : "base if r > threshold";
}

void print_promises(const StoredThreshold& threshold) {
  print_out(
      "base if r > {:g}: with confidence {:g} % at most {:g} % of base images are missed, "
      "if they are like those it was chosen on\n",
      threshold.value, 100 * threshold.confidence, 100 * threshold.max_miss);
  if (!threshold.unknown) return;
  print_out(
      "else unknown if fit <= {:g}: with confidence {:g} % at most {:g} % of images of listed "
      "names "
      "are called unknown\n",
      threshold.unknown->value, 100 * threshold.unknown->confidence,
      100 * threshold.unknown->max_unknown);
}

void print_text(const std::vector<Answer>& answers, const Threshold& threshold,
                const std::string& run) {
  const bool with_fit = threshold && threshold->unknown;
  std::vector<std::string> header = {"image", "side", "class", "%", "r"};
  if (with_fit) header.emplace_back("fit");
  TextTable table(header);
  for (const Answer& a : answers) {
    const std::string& name = a.class_name();
    std::vector<std::string> cells = {
        a.path, std::string(side_name(a.side)), name.empty() ? "-" : name,
        name.empty() ? "-" : percent(a.probability(), 1), fmt::format("{:.4f}", a.r)};
    if (with_fit) cells.push_back(fmt::format("{:.4f}", a.fit));
    table.add(std::move(cells));
  }
  print_table(table);
  print_out("\n");
  if (threshold) {
    print_promises(*threshold);
  } else {
    print_out(
        "no threshold was set: {}; `openworld threshold --run {} --max-miss 0.3` sets one "
        "with a guarantee\n",
        rule_of(threshold), run);
  }
}

Json stored_json(const Threshold& threshold) {
  if (!threshold) return nullptr;
  Json json = {{"value", threshold->value},
               {"max_miss", threshold->max_miss},
               {"confidence", threshold->confidence}};
  if (threshold->unknown) {
    json["unknown"] = {{"value", threshold->unknown->value},
                       {"max_unknown", threshold->unknown->max_unknown},
                       {"confidence", threshold->unknown->confidence}};
  }
  return json;
}

// What goes to files; what is printed is said there.
void write_files(const PredictCommand& command, const std::vector<Answer>& answers) {
  if (!command.csv.empty()) write_file_atomically(command.csv, answers_csv(answers), "predict");
  if (command.sort_into.empty()) return;
  sort_images(answers, command.sort_into, command.copy ? SortedAs::kCopies : SortedAs::kLinks,
              "predict");
}

}  // namespace

SampleScores predicted_scores(const PredictCommand& command) {
  const Dataset dataset = image_files(command.images);
  const TunedModel model = TunedModel::open(command.run, command.model);
  const Observer observer = terminal_observer();
  warn_assumptions(model.spec().model, observer);
  const PredictedImages predicted = model.predict(dataset, observer);
  SampleScores scores;
  for (const Answer& answer : predicted.answers) {
    scores.r.push_back(answer.r);
    scores.fit.push_back(answer.fit);
  }
  return scores;
}

void run_predict(const PredictCommand& command) {
  const RunClock clock;
  if (!command.sort_into.empty()) expect_empty_folder(command.sort_into, "predict");
  const Dataset dataset = image_files(command.images);
  const TunedModel model = TunedModel::open(command.run, command.model);
  const Observer observer = terminal_observer();
  warn_assumptions(model.spec().model, observer);
  const PredictedImages predicted = model.predict(dataset, observer);
  write_files(command, predicted.answers);
  if (command.json_lines) {
    for (const Answer& answer : predicted.answers)
      print_out("{}\n", dump_line(answer_json(answer)));
    return;
  }
  if (!command.json) {
    print_text(predicted.answers, model.threshold(), command.run);
    if (!command.csv.empty()) print_out("\nwrote {}\n", command.csv);
    if (!command.sort_into.empty()) {
      print_out("\nsorted {} into {}\n", counted(predicted.answers.size(), "image"),
                command.sort_into);
    }
    return;
  }
  Json images = Json::array();
  for (const Answer& answer : predicted.answers) images.push_back(answer_json(answer));
  print_json({{"schema", "openworld.predict/2"},
              {"source", command.run},
              {"method", model.spec().method},
              {"assumptions", model.spec().model.assumptions},
              {"rule", rule_of(model.threshold())},
              {"threshold", stored_json(model.threshold())},
              {"images", std::move(images)},
              {"skipped", predicted.skipped},
              {"not_images", dataset.skipped},
              {"cost", run_cost_json(clock.cost())}});
}

}  // namespace openworld

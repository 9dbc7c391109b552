#include "openworld/cli/study_eval.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/study_text.h"
#include "openworld/io/run_cost.h"
#include "openworld/studies/cell_eval.h"

namespace openworld {

using Json = nlohmann::ordered_json;

void StudyEvalCommand::declare(CLI::App& app) {
  app.add_option("STUDY", study_, "the folder of a study")->required();
  app.add_option("--metrics", metrics_,
                 "comma-separated names (`openworld ls metrics`) [those that the cells have]");
  app.add_option("--only", options_.only, "cells whose name or description contains this text");
}

int StudyEvalCommand::run(bool json) const {
  const RunClock clock;
  StudyStore store(study_, "study");
  Json errors = Json::array();
  const EvalSummary summary = evaluate_study(
      store, options_, metrics_, [&](const StudyCell& cell, const std::string& error) {
        print_error(fmt::format("openworld study: {}: {}", cell.name, error));
        errors.push_back({{"cell", cell.name}, {"error", error}});
      });
  if (json) {
    print_json({{"schema", "openworld.study_eval/1"},
                {"study", study_},
                {"evaluated", summary.evaluated},
                {"changed", summary.changed},
                {"failed", std::move(errors)},
                {"cost", run_cost_json(clock.cost())}});
  } else {
    print_out("{}: {} measured from predictions, {} changed\n", study_,
              counted_cells(summary.evaluated), summary.changed);
  }
  return summary.failed > 0 ? 1 : 0;
}

}  // namespace openworld

// The cells of `openworld study`, behind libtorch: each is a run of `openworld tune`, or of
// `openworld osr train` (osr_cell.h), in the cell's folder.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/base/split_list.h"
#include "openworld/cli/models/cell_request.h"
#include "openworld/cli/models/osr_cell.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/runs/run_folder.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/studies/cell_runner.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/tuning_job.h"

namespace openworld {
namespace {

// Base to new classes as `openworld tune` runs it without a scenario, with the logits of every
// image.
bool is_plain(const CellScenario& scenario) {
  return scenario.name == "recognition" && scenario.options.empty();
}

// What the data names goes before what the scenario does, and is for the scenarios that take it.
ScenarioRequest scenario_of(const Cell& cell) {
  ScenarioRequest request{.name = cell.scenario.name};
  for (const auto& [name, value] : cell.scenario.options) {
    request.options.push_back(fmt::format("{}={}", name, option_text(value)));
  }
  request.looks = split_list(cell.scenario.looks);
  request.targets = split_list(cell.scenario.targets);
  const OtherDatasets others = Scenario(cell.scenario.name).row().others;
  if (others == OtherDatasets::kLooks && !cell.data.looks.empty()) {
    request.looks = split_list(cell.data.looks);
  }
  if (others == OtherDatasets::kTargets && !cell.data.targets.empty()) {
    request.targets = split_list(cell.data.targets);
  }
  return request;
}

TuningRequest request_of(const Cell& cell, const CellContext& context) {
  TuningRequest request{.method = cell.learner.name};
  set_from_cell(request, cell, context);
  request.model.path = cell.model.path;
  request.model.activation = cell.model.activation;
  request.model.vocabulary = cell.model.vocabulary;
  request.model.threads = context.threads;
  request.logit_scale = cell.model.logit_scale;
  request.data.path = cell.data.path;
  request.base = cell.data.base;
  if (!is_plain(cell.scenario)) request.scenario = scenario_of(cell);
  request.templates = cell.data.templates;
  request.keep_underscores = cell.data.keep_underscores;
  request.allow_fewer = cell.data.allow_fewer;
  request.shots = static_cast<std::size_t>(cell.shots);
  request.shot_rule = cell.learner.shot_rule;
  request.views = cell.learner.views;
  request.augment = cell.learner.augment;
  return request;
}

// Its options were checked when the plan was read, and whether it can be run on the data is known
// when the cell is run.
void check_base(const Cell& cell) {
  if (cell.data.base != CellData().base) {
    fail("study", fmt::format("{}: base of the data is {}, for recognition without options; "
                              "expected the scenario's option base",
                              cell_text(cell), in_quotes(cell.data.base)));
  }
}

// What only open-set training has.
void check_tuned_cell(const Cell& cell) {
  const auto refuse = [&](std::string_view what) {
    fail("study",
         fmt::format("{}: {}, for the scenario {}", cell_text(cell), what, kOpenSetScenario));
  };
  if (cell.model.path.starts_with(kNetworkPrefix)) refuse("the model is a network");
  if (!cell.data.known.empty()) refuse("the data have known classes");
  if (!cell.data.unknown.empty() || !cell.data.unknown_split.empty()) {
    refuse("the data have unknown samples");
  }
}

void add_values(const std::vector<MetricRecord>& metrics, const std::string& world,
                const std::string& level, CellOutput& output) {
  for (const MetricRecord& metric : metrics) {
    output.values.push_back({world, level, metric.name, metric.value});
  }
}

class ModelRunner : public CellRunner {
 public:
  void check(std::span<const StudyCell> cells) override {
    for (const StudyCell& each : cells) {
      if (is_osr_cell(each.cell)) {
        check_osr_cell(each.cell);
        continue;
      }
      check_tuned_cell(each.cell);
      if (!is_plain(each.cell.scenario)) check_base(each.cell);
    }
  }

  void check_learner(const CellLearner& learner, const CellScenario& scenario) override {
    if (scenario.name == kOpenSetScenario) return check_osr_learner(learner);
    Method method(learner.name);
    for (const auto& [name, value] : learner.options) {
      method.list.set(name, option_text(value), "study");
    }
  }

  std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) override {
    if (is_osr_cell(cell.cell)) return run_osr_cell(cell.cell, context);
    TuningObserver observer;
    observer.warning = [](const std::string& line) { say(line); };
    observer.stop = context.stop;
    std::vector<RunResult> results;
    try {
      results = run_tuning(request_of(cell.cell, context), observer);
    } catch (const Error&) {
      if (context.stop()) return std::nullopt;  // it saved its state first
      throw;
    }
    CellOutput output;
    const RunFolder folder(context.folder);
    // Not result.json, which holds what the run cost.
    const auto add = [&](const std::string& path) {
      const std::filesystem::path file(path);
      std::error_code ignored;
      if (std::filesystem::exists(file, ignored)) output.files.push_back(file.filename().string());
    };
    const RunResult& result = results.at(0);
    for (std::size_t v = 0; v < result.views.size(); ++v) add(folder.view_file(v));
    if (result.views.empty()) add(folder.predictions_file());
    add(folder.prompts_file());
    add_values(result.metrics, "", "", output);
    for (const ViewResult& view : result.views) {
      add_values(view.metrics, view.world, view.level, output);
    }
    return output;
  }
};

}  // namespace

std::unique_ptr<CellRunner> make_cell_runner() {
  return std::make_unique<ModelRunner>();
}

}  // namespace openworld

// The cells of `openworld study`, behind libtorch: each is a run of `openworld tune` in the cell's
// folder.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/quotes.h"
#include "openworld/base/split_list.h"
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
  // A cell that was begun keeps the label that it has: a plan may change it, and resume.
  const RunFolder folder(context.folder);
  request.label = folder.is_run() ? folder.spec("study").label : cell.learner.label;
  for (const auto& [name, value] : cell.learner.options) {
    request.options.push_back(fmt::format("{}={}", name, option_text(value)));
  }
  request.model.path = cell.model.path;
  request.model.activation = cell.model.activation;
  request.model.vocabulary = cell.model.vocabulary;
  request.model.threads = context.threads;
  request.logit_scale = cell.model.logit_scale;
  request.data.path = cell.data.path;
  request.data.options.image_root = cell.data.image_root;
  request.data.options.names = cell.data.names;
  request.data.options.format = cell.data.format;
  request.data.options.allow_duplicate_names = cell.data.allow_duplicate_names;
  request.train_split = cell.data.train_split;
  request.test_split = cell.data.test_split;
  request.test_data = cell.data.test_data;
  request.base = cell.data.base;
  if (!is_plain(cell.scenario)) request.scenario = scenario_of(cell);
  request.templates = cell.data.templates;
  request.keep_underscores = cell.data.keep_underscores;
  request.allow_fewer = cell.data.allow_fewer;
  request.shots = static_cast<std::size_t>(cell.shots);
  request.shot_rule = cell.learner.shot_rule;
  request.views = cell.learner.views;
  request.augment = cell.learner.augment;
  request.runs = {{static_cast<std::uint64_t>(cell.seed), context.folder}};
  return request;
}

// Its options and whether it can be run on the data is known when the plan is read and when the
// cell is run; what contradicts it is known now.
void check_scenario(const Cell& cell) {
  Scenario scenario(cell.scenario.name);
  for (const auto& [name, value] : cell.scenario.options) {
    scenario.options().set(name, option_text(value), "study");
  }
  if (cell.data.base != CellData().base) {
    fail("study", fmt::format("{}: base of the data is {}, for recognition without options; "
                              "expected the scenario's option base",
                              cell_text(cell), in_quotes(cell.data.base)));
  }
}

void add_values(const std::vector<MetricRecord>& metrics, const std::string& world,
                const std::string& level, CellOutput& output) {
  for (const MetricRecord& metric : metrics) {
    output.values.push_back({world, level, metric.name, metric.value});
  }
}

class TuningRunner : public CellRunner {
 public:
  void check(std::span<const StudyCell> cells) override {
    for (const StudyCell& each : cells) {
      const Cell& cell = each.cell;
      if (!is_plain(cell.scenario)) check_scenario(cell);
      Method method(cell.learner.name);
      for (const auto& [name, value] : cell.learner.options) {
        method.list.set(name, option_text(value), "study");
      }
    }
  }

  std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) override {
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
  return std::make_unique<TuningRunner>();
}

}  // namespace openworld

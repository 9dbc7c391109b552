// Runs of scenarios, with the bundled model and drawings.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "openworld/io/test_util.h"
#include "openworld/learners/table.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/run_folder.h"
#include "openworld/scenarios/scenario_data.h"
#include "openworld/scenarios/table.h"
#include "openworld/tuning/test_observers.h"
#include "openworld/tuning/tuned_model.h"
#include "openworld/tuning/tuning_job.h"

namespace openworld {
namespace {

using testing::read_file;
using testing::TempFolder;

// Two images of each base class.
TuningRequest small_request(const std::string& method, const std::string& folder,
                            std::optional<ScenarioRequest> scenario = std::nullopt) {
  TuningRequest request{.method = method};
  request.model.path = "pocket";
  request.model.threads = 1;
  request.data.path = "doodles:shapes";
  request.cache.off = true;
  request.shots = 2;
  request.runs = {{1, folder}};
  request.scenario = std::move(scenario);
  if (method != "zero-shot") request.epochs = 1;
  return request;
}

template <class T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

void expect_same_outcomes(const Predictions& a, const Predictions& b) {
  EXPECT_EQ(list(a.side.values), list(b.side.values));
  EXPECT_EQ(list(a.correct.values), list(b.correct.values));
  EXPECT_EQ(list(a.overall_correct.values), list(b.overall_correct.values));
  EXPECT_EQ(list(a.label.values), list(b.label.values));
  EXPECT_EQ(list(a.predicted.values), list(b.predicted.values));
  EXPECT_EQ(list(std::get<Column<float>>(a.score).values),
            list(std::get<Column<float>>(b.score).values));
  EXPECT_EQ(a.classes, b.classes);
}

std::optional<double> metric(const std::vector<MetricRecord>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &MetricRecord::name);
  return found == metrics.end() ? std::nullopt : found->value;
}

class LearnersInScenarios : public ::testing::TestWithParam<std::string> {};

TEST_P(LearnersInScenarios, RecognitionIsWhatARunWithoutAScenarioIs) {
  const TempFolder folder;
  const RunResult plain = run_tuning(small_request(GetParam(), folder / "plain"))[0];
  const RunResult scenario =
      run_tuning(small_request(GetParam(), folder / "scenario", {{.name = "recognition"}}))[0];
  EXPECT_EQ(read_file(RunFolder(folder / "plain").prompts_file()),
            read_file(RunFolder(folder / "scenario").prompts_file()));
  ASSERT_EQ(scenario.views.size(), 1u);
  EXPECT_TRUE(scenario.metrics.empty());
  const Predictions view = load_predictions(RunFolder(folder / "scenario").view_file(0));
  expect_same_outcomes(view, load_predictions(RunFolder(folder / "plain").predictions_file()));
  for (const MetricRecord& record : plain.metrics) {
    EXPECT_EQ(metric(scenario.views[0].metrics, record.name), record.value) << record.name;
  }
}

TEST_P(LearnersInScenarios, ALevelByItselfHasTheBitsOfALevelAmongOthers) {
  const TempFolder folder;
  const auto run = [&](const std::string& name, const std::string& levels) {
    return run_tuning(
        small_request(GetParam(), folder / name,
                      {{.name = "varying-ratio", .options = {"levels=" + levels}}}))[0];
  };
  const RunResult all = run("all", "0,0.4,1"), one = run("one", "0.4");
  ASSERT_EQ(all.views.size(), 3u);
  ASSERT_EQ(one.views.size(), 1u);
  EXPECT_EQ(one.views[0].metrics, all.views[1].metrics);
  expect_same_outcomes(load_predictions(RunFolder(folder / "all").view_file(1)),
                       load_predictions(RunFolder(folder / "one").view_file(0)));
  // Without new or base names metrics of two sides say why; accuracy is there.
  EXPECT_FALSE(metric(all.views[0].metrics, "openworld_auc"));
  EXPECT_FALSE(metric(all.views[2].metrics, "auroc"));
  EXPECT_TRUE(metric(all.views[1].metrics, "openworld_auc"));
  for (const ViewResult& view : all.views) EXPECT_TRUE(metric(view.metrics, "overall_acc"));
  EXPECT_EQ(metric(all.views[0].metrics, "overall_acc"), metric(all.views[0].metrics, "base_acc"));
  EXPECT_EQ(metric(all.views[2].metrics, "overall_acc"), metric(all.views[2].metrics, "new_acc"));
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const LearnerRow& row : learners()) names.emplace_back(row.name);
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(ScenarioRun, LearnersInScenarios, ::testing::ValuesIn(learner_names()),
                         test_name);

// Looks and targets of Doodles that keep a test quick.
ScenarioRequest small_scenario(const ScenarioRow& row) {
  ScenarioRequest request{.name = std::string(row.name)};
  if (row.others == OtherDatasets::kLooks) request.looks = {"chalk"};
  if (row.others == OtherDatasets::kTargets) request.targets = {"instruments@chalk"};
  return request;
}

TEST(ScenarioRun, ShowsTheImagesAndNamesOfThePlan) {
  for (const ScenarioRow& row : scenario_rows()) {
    const TempFolder folder;
    const ScenarioRequest asked = small_scenario(row);
    const RunResult result = run_tuning(small_request("zero-shot", folder / "run", asked))[0];
    const ScenarioData data = open_scenario_data(
        row,
        {.source = {.path = "doodles:shapes"}, .looks = asked.looks, .targets = asked.targets});
    const ScenarioPlan plan = Scenario(row.name).plan(data, 1);
    ASSERT_EQ(result.views.size(), plan.views.size()) << row.name;
    for (std::size_t v = 0; v < plan.views.size(); ++v) {
      const View& view = plan.views[v];
      EXPECT_EQ(result.views[v].world, view.world);
      EXPECT_EQ(result.views[v].level, view.level);
      EXPECT_EQ(result.views[v].t, view.t);
      const Predictions predictions = load_predictions(RunFolder(folder / "run").view_file(v));
      std::vector<std::string> names = class_names(data, view.base);
      for (const std::string& name : class_names(data, view.new_classes)) names.push_back(name);
      EXPECT_EQ(predictions.classes, names) << row.name;
      ASSERT_EQ(predictions.side.size(), view.images.size()) << row.name;
      for (std::size_t i = 0; i < view.images.size(); ++i) {
        EXPECT_EQ(predictions.side.values[i], static_cast<int>(view.images[i].side));
        EXPECT_EQ(predictions.label.values[i], std::max(view.images[i].label, 0));
      }
    }
    EXPECT_EQ(read_run_spec({"test", RunFolder(folder / "run").spec_file()}).scenario->name,
              row.name);
    // The run is found finished, and its prompts predict.
    EXPECT_EQ(run_tuning(small_request("zero-shot", folder / "run", asked))[0].views.size(),
              plan.views.size());
    EXPECT_EQ(TunedModel::open(folder / "run").spec().base_classes, plan.train.base);
  }
}

TEST(ScenarioRun, StopsAndResumesToTheSameBits) {
  const TempFolder folder;
  const std::string whole = folder / "whole", broken = folder / "broken";
  const auto request = [](const std::string& to) {
    TuningRequest longer =
        small_request("coop", to, {{.name = "emerging", .options = {"levels=0,1"}}});
    longer.epochs = 4;
    return longer;
  };
  const RunResult result = run_tuning(request(whole))[0];
  const TuningObserver observer = testing::stop_after_every_step();
  int stops = 0;
  for (bool done = false; !done;) {
    try {
      run_tuning(request(broken), observer);
      done = true;
    } catch (const Error& e) {
      ASSERT_NE(std::string(e.what()).find("stopped"), std::string::npos) << e.what();
      ASSERT_LT(++stops, 1000);
    }
  }
  EXPECT_GT(stops, 0);
  for (const ViewResult& view : result.views) {
    EXPECT_EQ(read_file(whole + "/" + view.file), read_file(broken + "/" + view.file));
  }
  EXPECT_EQ(read_file(RunFolder(whole).spec_file()), read_file(RunFolder(broken).spec_file()));
  EXPECT_FALSE(std::filesystem::exists(RunFolder(whole).predictions_file()));
}

void expect_refused(const TuningRequest& request, const std::string& what) {
  try {
    run_tuning(request);
    FAIL() << what;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(what), std::string::npos) << e.what();
  }
}

TEST(ScenarioRun, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  const auto request = [&](const ScenarioRequest& scenario) {
    return small_request("zero-shot", folder / "run", scenario);
  };
  expect_refused(request({.name = "emergin"}), "did you mean emerging?");
  expect_refused(request({.name = "emerging", .options = {"levels=2"}}), "numbers from 0 to 1");
  expect_refused(request({.name = "emerging", .options = {"base=all"}}), "base");
  expect_refused(request({.name = "emerging", .looks = {"chalk"}}), "looks");
  TuningRequest with_base = request({.name = "recognition"});
  with_base.base = "all";
  expect_refused(with_base, "the scenario's option base");
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));

  // A folder is of one scenario, with its options.
  run_tuning(request({.name = "emerging", .options = {"levels=0"}}));
  expect_refused(request({.name = "emerging", .options = {"levels=1"}}), "levels");
  expect_refused(request({.name = "varying-ratio", .options = {"levels=0"}}), "varying-ratio");
  expect_refused(small_request("zero-shot", folder / "run"), "scenario emerging");
  // A view that was changed since is found.
  std::filesystem::resize_file(RunFolder(folder / "run").view_file(0), 100);
  expect_refused(request({.name = "emerging", .options = {"levels=0"}}), "SHA-256");
}

}  // namespace
}  // namespace openworld

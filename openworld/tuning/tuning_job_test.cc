#include "openworld/tuning/tuning_job.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "openworld/io/atomic_file.h"
#include "openworld/io/test_util.h"
#include "openworld/learners/table.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/predictions/predictions.h"
#include "openworld/runs/run_folder.h"
#include "openworld/tuning/test_observers.h"
#include "openworld/tuning/tuned_model.h"

namespace openworld {
namespace {

using testing::read_file;
using testing::TempFolder;

// Two images of each of five base classes, with the bundled model.
TuningRequest small_request(const std::string& method, const std::string& folder) {
  TuningRequest request{.method = method};
  request.model.path = "pocket";
  request.model.threads = 1;
  request.data.path = "doodles:shapes";
  request.cache.off = true;
  request.shots = 2;
  request.runs = {{1, folder}};
  if (method != "zero-shot") request.epochs = 2;
  return request;
}

void expect_same_files(const std::string& a, const std::string& b) {
  const RunFolder one(a), two(b);
  EXPECT_EQ(read_file(one.spec_file()), read_file(two.spec_file()));
  EXPECT_EQ(read_file(one.prompts_file()), read_file(two.prompts_file()));
  EXPECT_EQ(read_file(one.predictions_file()), read_file(two.predictions_file()));
}

class EveryLearner : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryLearner, TunesStopsResumesAndPredicts) {
  const TempFolder folder;
  const std::string whole = folder / "whole", broken = folder / "broken";
  const std::vector<RunResult> results = run_tuning(small_request(GetParam(), whole));
  ASSERT_EQ(results.size(), 1u);

  // What was measured from memory is what the file says.
  const Predictions stored = load_predictions(RunFolder(whole).predictions_file());
  const Evaluation evaluation = evaluate(stored.outcomes(), find_metrics(kRunMetrics));
  ASSERT_EQ(results[0].metrics.size(), evaluation.metrics.size());
  for (std::size_t i = 0; i < evaluation.metrics.size(); ++i) {
    EXPECT_EQ(results[0].metrics[i], metric_record(evaluation.metrics[i], {}));
  }

  const TuningObserver observer = testing::stop_after_every_step();
  int stops = 0;
  for (bool done = false; !done;) {
    try {
      run_tuning(small_request(GetParam(), broken), observer);
      done = true;
    } catch (const Error& e) {
      ASSERT_NE(std::string(e.what()).find("stopped"), std::string::npos) << e.what();
      ASSERT_LT(++stops, 1000);
    }
  }
  EXPECT_EQ(stops, std::max<std::int64_t>(results[0].steps - 1, 0));
  expect_same_files(whole, broken);

  // The test images again, from the folder alone.
  const TunedModel model = TunedModel::open(whole);
  const Dataset images = open_dataset("doodles:shapes", {.split = "test"});
  const std::vector<std::int32_t> answers = load_answers(RunFolder(whole).predictions_file());
  const PredictedImages predicted = model.predict(images);
  ASSERT_EQ(predicted.answers.size(), answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = predicted.answers[i];
    const bool is_base = stored.side.values[i] == 0;
    const auto truth = static_cast<std::size_t>(answers[i]);
    EXPECT_EQ(is_base ? answer.base_class : answer.new_class, model.spec().classes[truth]) << i;
    EXPECT_NEAR(answer.r, stored.outcomes().score[i], 1e-5) << i;
  }

  // An image has the same bits by itself.
  for (const std::size_t i : {std::size_t{0}, images.samples.size() - 1}) {
    Dataset alone = images;
    alone.samples = {images.samples[i]};
    const Answer answer = model.predict(alone).answers.at(0);
    EXPECT_EQ(answer.r, predicted.answers[i].r) << i;
    EXPECT_EQ(answer.fit, predicted.answers[i].fit) << i;
    EXPECT_EQ(answer.base_probability, predicted.answers[i].base_probability) << i;
  }
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

INSTANTIATE_TEST_SUITE_P(TuningJob, EveryLearner, ::testing::ValuesIn(learner_names()), test_name);

TEST(TuningJob, AFinishedRunIsLeftAsItIs) {
  const TempFolder folder;
  const TuningRequest request = small_request("coop", folder / "run");
  const RunResult first = run_tuning(request)[0];
  const auto written = std::filesystem::last_write_time(RunFolder(folder / "run").result_file());
  std::vector<std::string> notes;
  TuningObserver observer;
  observer.note = [&](const std::string& line) { notes.push_back(line); };
  const RunResult second = run_tuning(request, observer)[0];
  EXPECT_EQ(second.metrics, first.metrics);
  EXPECT_EQ(second.cost.train_seconds, first.cost.train_seconds);
  EXPECT_EQ(std::filesystem::last_write_time(RunFolder(folder / "run").result_file()), written);
  EXPECT_EQ(notes, std::vector<std::string>{folder / "run" + " is finished"});
}

TEST(TuningJob, AnotherRunIsRefusedUnlessRestarted) {
  const TempFolder folder;
  run_tuning(small_request("coop", folder / "run"));
  TuningRequest other = small_request("coop", folder / "run");
  other.runs[0].seed = 2;
  EXPECT_ERROR(run_tuning(other), "run.json: holds a run with seed 1, not 2");
  TuningRequest options = small_request("coop", folder / "run");
  options.options = {"lr=0.1"};
  EXPECT_ERROR(run_tuning(options), "holds a run with lr 0.002, not 0.1");
  other.restart = true;
  EXPECT_EQ(run_tuning(other)[0].seed, 2u);
  EXPECT_EQ(RunFolder(folder / "run").spec("test").seed, 2u);
}

// As if an earlier version had written the result.
void forget_hashes(const RunFolder& run) {
  RunResult result = run.result("test");
  result.files.clear();
  write_file_atomically(run.result_file(), run_result_json(result).dump());
}

TEST(TuningJob, TakesEarlierNamesOfChoices) {
  const TempFolder folder;
  TuningRequest request = small_request("locoop", folder / "run");
  request.options = {"score=ordinary"};
  run_tuning(request);
  RunFolder run(folder / "run");
  std::string text = read_file(run.spec_file());
  const std::size_t at = text.find("\"msp\"");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 5, "\"ordinary\"");
  folder.write("run/run.json", text);
  forget_hashes(run);
  EXPECT_NO_THROW(run_tuning(request));
  EXPECT_NO_THROW(TunedModel::open(folder / "run"));
}

TEST(TuningJob, SeedsShareWhatTheyCan) {
  const TempFolder folder;
  TuningRequest request = small_request("coop", "");
  request.runs = {{1, folder / "a"}, {2, folder / "b"}};
  std::vector<std::uint64_t> seeds;
  TuningObserver observer;
  observer.result = [&](const RunResult& result) { seeds.push_back(result.seed); };
  run_tuning(request, observer);
  EXPECT_EQ(seeds, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_NE(read_file(folder / "a/prompts.safetensors"),
            read_file(folder / "b/prompts.safetensors"));
}

TEST(TuningJob, RefusesBeforeAFolderIsMade) {
  const TempFolder folder;
  const auto error = [&](auto change) {
    TuningRequest request = small_request("coop", folder / "run");
    change(request);
    return testing::error_of([&] { run_tuning(request); });
  };
  const auto expect = [&](const std::string& fragment, auto change) {
    const std::string got = error(change);
    EXPECT_NE(got.find(fragment), std::string::npos) << got;
    EXPECT_EQ(got.find('\n'), std::string::npos) << got;
    EXPECT_EQ(got.find("--"), std::string::npos) << got;  // a library names no flags
  };
  expect("did you mean coop?", [](TuningRequest& r) { r.method = "cop"; });
  expect("zero-shot is not trained and has no epochs",
         [](TuningRequest& r) { r.method = "zero-shot"; });
  expect("no option \"lrr\"", [](TuningRequest& r) { r.options = {"lrr=1"}; });
  expect("expected key=value", [](TuningRequest& r) { r.options = {"lr"}; });
  expect("base is '0'; expected all, half, or 1 to 10", [](TuningRequest& r) { r.base = "0"; });
  expect("the shot rule is 'x'", [](TuningRequest& r) { r.shot_rule = "x"; });
  expect("has 20 training images; expected 100000", [](TuningRequest& r) { r.shots = 100'000; });
  expect("augmentation in every epoch needs a method that takes images",
         [](TuningRequest& r) { r.augment = true; });
  expect("device cuda", [](TuningRequest& r) { r.model.device = "cuda"; });
  expect("device", [](TuningRequest& r) { r.model.device = "tpu"; });
  expect("No such file", [](TuningRequest& r) { r.model.path = "nowhere"; });
  expect("nothere", [](TuningRequest& r) { r.train_split = "nothere"; });
  EXPECT_FALSE(std::filesystem::exists(folder / "run"));
}

TEST(TunedModel, SaysWhatIsWrongWithAFolder) {
  const TempFolder folder;
  EXPECT_ERROR(TunedModel::open(folder / "nothing"), "not a run folder");
  run_tuning(small_request("coop", folder / "run"));
  const RunFolder run(folder / "run");
  forget_hashes(run);
  const std::string text = read_file(run.spec_file());
  const auto spoil = [&](const std::string& from, const std::string& to) {
    std::string spoilt = text;
    spoilt.replace(spoilt.find(from), from.size(), to);
    folder.write("run/run.json", spoilt);
    return testing::error_of([&] { TunedModel::open(run.path()); });
  };
  const auto expect = [&](const std::string& got, const std::string& fragment) {
    EXPECT_NE(got.find(fragment), std::string::npos) << got;
    EXPECT_NE(got.find("run.json: "), std::string::npos) << got;
  };
  expect(spoil("\"coop\"", "\"magic\""), "no learner \"magic\"");
  expect(spoil("\"tokens\": 16", "\"tokens\": \"many\""), "option tokens is \"many\"");
  expect(spoil("\"pocket\"", "\"gone\""), "No such file");
  expect(spoil("\"sha256\"", "\"sha\""), "has no model.sha256");
  EXPECT_NE(spoil("\"sha256\": \"", "\"sha256\": \"0").find("not the checkpoint"),
            std::string::npos);
  folder.write("run/run.json", text);
  std::filesystem::remove(run.prompts_file());
  EXPECT_ERROR(TunedModel::open(run.path()), "not finished, prompts.safetensors is missing");
}

}  // namespace
}  // namespace openworld

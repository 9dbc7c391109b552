#include "openworld/tuning/tuning_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "openworld/base/clock.h"
#include "openworld/base/error.h"
#include "openworld/tuning/encoded_images.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/prompt_names.h"
#include "openworld/tuning/tuning_data.h"
#include "openworld/tuning/tuning_run.h"
#include "openworld/tuning/view_names.h"
#include "openworld/tuning/view_scores.h"
#include "openworld/worlds/feature_arrays.h"
#include "openworld/worlds/list_sha256.h"

namespace openworld {
namespace {

Method choose_method(const TuningRequest& request) {
  Method method(request.method);
  if (request.epochs > 0) {
    if (!method.list.has("epochs")) {
      fail("tune", fmt::format("{} is not trained and has no epochs", method.row->name));
    }
    method.list.set("epochs", std::to_string(request.epochs), "tune");
  }
  for (const std::string& assignment : request.options) method.list.set(assignment, "tune");
  return method;
}

ShotRule shot_rule(const TuningRequest& request, const LearnerRow& row) {
  if (request.shot_rule == "auto") return row.shots;
  if (request.shot_rule == "coop") return ShotRule::kCoop;
  if (request.shot_rule == "decoop") return ShotRule::kDeCoop;
  fail("tune",
       fmt::format("the shot rule is '{}'; expected coop, decoop or auto", request.shot_rule));
}

// Throws Error where the method, or random views, need images and a dataset has features alone.
void expect_images(const TuningRequest& request, const LearnerRow& row, const ScenarioData& data) {
  const auto refuse = [&](const ScenarioDataset& dataset) {
    if (feature_source(dataset.data) == nullptr) return;
    if (row.input != ImageInput::kFeatures) {
      std::vector<std::string_view> others;
      for (const LearnerRow& other : learners()) {
        if (other.input == ImageInput::kFeatures) others.push_back(other.name);
      }
      fail("tune", fmt::format("{} takes {}, and {} has features alone; expected images, or one "
                               "of {}",
                               row.name, image_input_name(row.input), dataset.name,
                               fmt::join(others, ", ")));
    }
    if (request.views > 0) {
      fail("tune",
           fmt::format("random views need images, and {} has features alone", dataset.name));
    }
  };
  refuse(data.train);
  for (const ScenarioDataset& test : data.tests) refuse(test);
}

// The datasets of a scenario beside the source.
std::vector<RunTestData> other_tests(const ScenarioData& data) {
  std::vector<RunTestData> tests;
  for (std::size_t d = 1; d < data.tests.size(); ++d) {
    const auto& [name, dataset] = data.tests[d];
    tests.push_back({name, dataset.split, list_sha256(dataset)});
  }
  return tests;
}

RunScenario run_scenario(const Scenario& scenario, const ScenarioData& data) {
  RunScenario run{.name = std::string(scenario.row().name),
                  .version = scenario.row().version,
                  .options = scenario.options().values(),
                  .looks = {},
                  .targets = {}};
  (scenario.row().others == OtherDatasets::kLooks ? run.looks : run.targets) = other_tests(data);
  return run;
}

RunSpec make_spec(const TuningRequest& request, const Method& method, const LoadedModel& model,
                  const ScenarioData& data, const Episodes& episodes, std::uint64_t seed) {
  const Dataset& test = data.tests[0].data;
  const Sentences sentences = choose_sentences(request.templates, data.train.data);
  RunSpec spec{.label = request.label,
               .method = std::string(method.row->name),
               .title = std::string(method.row->title),
               .options = method.list.values(),
               .changed = method.changed(),
               .seed = seed,
               .shots = request.shots,
               .shot_rule = request.shot_rule,
               .views = request.views,
               .augment = request.augment,
               .model = model.description(request.model),
               .data = {.path = request.data.path,
                        .train_split = data.train.data.split,
                        .test_split = test.split,
                        .test_data = request.test_data,
                        .image_root = request.data.options.image_root,
                        .names = request.data.options.names,
                        .format = request.data.options.format,
                        .allow_duplicate_names = request.data.options.allow_duplicate_names,
                        .train_sha256 = list_sha256(data.train.data),
                        .test_sha256 = list_sha256(test)},
               .keep_underscores = request.keep_underscores,
               .templates = sentences.templates,
               .template_set = sentences.template_set,
               .ensemble = sentences.ensemble,
               .plain_words = sentences.plain_words,
               .base_classes = episodes.base,
               .classes = episodes.train.classes};
  spec.model.logit_scale = request.logit_scale;
  return spec;
}

// One run of the job with what its seed is tuned and tested on.
struct Experiment {
  Episodes episodes;
  ViewNames names;  // of the views of a scenario
  TuningRun run;
};

// Names of the classes of the source and of targets, with the sentences they are put in. Looks have
// the names of the source.
std::vector<TestNames> test_names(const TuningRequest& request,
                                  const std::optional<Scenario>& scenario,
                                  const ScenarioData& data) {
  const bool looks = scenario && scenario->row().others == OtherDatasets::kLooks;
  std::vector<TestNames> names;
  for (std::size_t d = 0; d < data.tests.size(); ++d) {
    const ScenarioDataset& dataset = d == 0 ? data.train : data.tests[d];
    if (d > 0 && looks) {
      names.push_back({{}, choose_sentences(request.templates, dataset.data)});
      continue;
    }
    names.push_back({prompt_names(dataset.data, {dataset.name, request.data.options},
                                  request.keep_underscores, "tune"),
                     choose_sentences(request.templates, dataset.data)});
  }
  return names;
}

// What a run without a scenario has beside the base names.
std::vector<NameList> lists_of(const Experiment& experiment) {
  if (experiment.episodes.plan) return experiment.names.lists;
  return {{.names = experiment.run.spec().new_names()}};
}

// The test datasets of a job, encoded when the first run needs them.
class EncodedTests {
 public:
  // `order` is that of the classes in runs without a scenario.
  EncodedTests(const TuningRequest& request, const LoadedModel& model, const ScenarioData& data,
               std::vector<std::int32_t> order)
      : request_(request), model_(model), data_(data), order_(std::move(order)) {}

  const std::vector<TestImages>& images(const Observer& observer) {
    for (std::size_t d = images_.size(); d < data_.tests.size(); ++d) {
      images_.push_back(encode_test(request_, model_, data_.tests[d], observer));
      reorder_labels(images_.back(), order_);
      seconds_ += images_.back().seconds;
    }
    return images_;
  }
  double seconds() const { return seconds_; }

 private:
  const TuningRequest& request_;
  const LoadedModel& model_;
  const ScenarioData& data_;
  std::vector<std::int32_t> order_;
  std::vector<TestImages> images_;
  double seconds_ = 0;
};

TestViews test_views(const Experiment& experiment, const ScenarioData& data,
                     const std::vector<TestImages>& images, const std::vector<std::size_t>& shots) {
  TestViews test{.plan = &*experiment.episodes.plan,
                 .columns = experiment.names.columns,
                 .class_names = {},
                 .datasets = {}};
  for (const View& view : test.plan->views) {
    std::vector<std::string>& names = test.class_names.emplace_back(class_names(data, view.base));
    std::ranges::copy(class_names(data, view.new_classes), std::back_inserter(names));
  }
  for (const TestImages& dataset : images) test.datasets.push_back(&dataset);
  if (data.same_images) test.tuned_on = {shots.begin(), shots.end()};
  return test;
}

}  // namespace

std::vector<RunResult> run_tuning(const TuningRequest& request, const TuningObserver& observer) {
  const Method method = choose_method(request);
  const std::optional<Scenario> scenario = choose_scenario(request);
  const ScenarioData data = open_tuning_data(request, scenario);
  const std::vector<TestNames> names = test_names(request, scenario, data);
  const ShotRule rule = shot_rule(request, *method.row);
  expect_images(request, *method.row, data);
  if (request.augment && method.row->input != ImageInput::kPixels) {
    fail("tune", fmt::format("{} takes {}; augmentation in every epoch needs a method that "
                             "takes images, and views serve the others",
                             method.row->name, image_input_name(method.row->input)));
  }
  std::vector<Episodes> episodes;
  for (const TuningRequest::Run& run : request.runs) {
    episodes.push_back(plan_episodes(request, scenario, data, run.seed));
  }

  LoadedModel model = load_model(request.model, "tune", observer);
  if (request.logit_scale > 0) set_logit_scale(model.clip, request.logit_scale);
  const Tokenizer tokenizer = load_tokenizer(model.checkpoint, request.model.vocabulary);
  const TextModel text_model = {&model.clip, &tokenizer, {request.memory}, request.model.threads};

  for (std::size_t i = 0; i < request.runs.size(); ++i) {
    expect_images_left(
        data, draw_shots(request, episodes[i].train, episodes[i].base, rule, request.runs[i].seed));
  }
  std::vector<Experiment> experiments;
  for (std::size_t i = 0; i < request.runs.size(); ++i) {
    const auto& [seed, folder] = request.runs[i];
    RunSpec spec = make_spec(request, method, model, data, episodes[i], seed);
    if (scenario) spec.scenario = run_scenario(*scenario, data);
    ViewNames of_views;
    if (scenario) {
      of_views =
          view_names(*episodes[i].plan, names, scenario->row().others != OtherDatasets::kTargets);
    }
    experiments.push_back({std::move(episodes[i]), std::move(of_views),
                           TuningRun(folder, std::move(spec), request.restart)});
  }
  const auto is_open = [](const Experiment& e) { return !e.run.finished(); };
  if (std::ranges::any_of(experiments, is_open)) {
    // Whether options and names fit does not depend on the seed.
    const Experiment& first = experiments.front();
    method.options->make(task_of(first.run.spec(), text_model))->view_scorer(lists_of(first));
  }

  EncodedTests tests(request, model, data, experiments.front().episodes.order);
  std::vector<RunResult> results;
  for (Experiment& experiment : experiments) {
    TuningRun& run = experiment.run;
    if (auto result = run.finished()) {
      run.remove_leftovers();
      observer.tell(run.folder().path() + " is finished");
      results.push_back(std::move(*result));
    } else {
      const std::vector<TestImages>& images = tests.images(observer);
      const auto start = Clock::now();
      const auto learner = method.options->make(task_of(run.spec(), text_model));
      const Dataset& train = experiment.episodes.train;
      const auto shots =
          draw_shots(request, train, experiment.episodes.base, rule, run.spec().seed);
      const TrainImages encoded =
          encode_shots(request, model, train, shots, method.row->input, run.spec().seed, observer);
      run.begin();
      const double encode_seconds = seconds_since(start) + tests.seconds();
      if (!run.train(*learner, encoded.episode, observer)) {
        fail("tune",
             fmt::format("{}: stopped; run the same command again to resume", run.folder().path()));
      }
      results.push_back(
          scenario ? run.finish(*learner, experiment.names.lists,
                                test_views(experiment, data, images, shots), encode_seconds)
                   : run.finish(*learner,
                                data.same_images ? without_samples(images[0], shots) : images[0],
                                encode_seconds));
    }
    if (observer.result) observer.result(results.back());
  }
  return results;
}

}  // namespace openworld

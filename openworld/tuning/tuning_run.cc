#include "openworld/tuning/tuning_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "openworld/base/clock.h"
#include "openworld/base/error.h"
#include "openworld/io/is_file.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/learners/trainer.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/runs/or_restart.h"
#include "openworld/runs/run_paths.h"
#include "openworld/tuning/epoch_log.h"
#include "openworld/tuning/method.h"
#include "openworld/tuning/score_images.h"
#include "openworld/tuning/view_scores.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// A state goes to the disk after an epoch, but not more often: small models do a hundred epochs a
// second.
constexpr std::chrono::seconds kSaveInterval(1);

std::vector<MetricRecord> measure(const Predictions& predictions, const char* metrics) {
  const EvalOptions options;
  std::vector<MetricRecord> records;
  const Evaluation evaluation = evaluate(predictions.outcomes(), find_metrics(metrics), options);
  for (const MetricResult& metric : evaluation.metrics) {
    records.push_back(metric_record(metric, options));
  }
  return records;
}

}  // namespace

TuningRun::TuningRun(const std::string& folder, RunSpec spec, bool restart)
    : folder_(folder), spec_(std::move(spec)), restart_(restart) {
  if (!restart_) expect_same_folder();
}

void TuningRun::expect_same_folder() {
  const auto expect_same = [&](RunSpec was, const Origin& origin) {
    // Options that were written under earlier names, as the method calls them now.
    if (was.method == spec_.method) {
      const Method method = method_of(was, "tune");
      was.options = method.list.values();
      was.changed = method.changed();
    }
    spec_ = resumed_spec(folder_, was, std::move(spec_), origin);
  };
  if (folder_.is_run()) {
    const Origin origin{"tune", folder_.spec_file()};
    expect_same(or_restart([&] { return read_run_spec(origin); }), origin);
  }
  if (is_file(folder_.state_file())) {
    const Origin origin{"tune", folder_.state_file()};
    expect_same(or_restart([&] {
                  const std::string text = saved_tuning(origin.file);
                  return parse_run_spec(std::as_bytes(std::span(text)), origin);
                }),
                origin);
  }
}

std::optional<RunResult> TuningRun::finished() const {
  if (restart_ || !folder_.is_finished()) return std::nullopt;
  return or_restart([&] {
    folder_.expect_whole({RunFile::kSpec, RunFile::kPrompts, RunFile::kPredictions}, "tune");
    return folder_.result("tune");
  });
}

void TuningRun::remove_leftovers() const {
  if (!is_file(folder_.state_file()) && !is_file(folder_.path() + "/.lock")) return;
  try {
    const FolderLease lease(folder_.path(), "tune");  // removes its file at the end
    std::error_code ignored;
    fs::remove(folder_.state_file(), ignored);
  } catch (const Error&) {
    // In use, or not to be written: the result is there all the same.
  }
}

void TuningRun::begin() {
  lease_.emplace(folder_.path(), "tune");
  if (restart_) {
    folder_.clear();
  } else {
    expect_same_folder();  // another process may have begun one since
  }
  folder_.begin(spec_, "tune");
}

bool TuningRun::train(Learner& learner, const Episode& episode, const Observer& observer) {
  Trainer trainer(learner, episode, spec_.seed);
  steps_ = trainer.steps();
  epochs_ = trainer.epochs();
  images_ = episode.labels.size(0);
  if (trainer.done()) return true;
  if (is_file(folder_.state_file())) {
    trainer.load(folder_.state_file());
    if (!trainer.done()) {
      observer.tell(
          fmt::format("{}: resuming from step {} of {}", folder_.path(), trainer.step(), steps_));
    }
  }
  const std::string state_text = run_spec_text(spec_, -1);
  EpochLog log(folder_.log_file(), trainer.step(), "tune");
  const double before = log.last() ? log.last()->seconds : 0;
  if (log.last()) loss_ = log.last()->loss;
  train_seconds_ = before;
  const auto start = Clock::now();
  auto saved = start;
  while (!trainer.done()) {
    const TrainStep step = trainer.run_step();
    train_seconds_ = before + seconds_since(start);
    if (observer.step) {
      observer.step({folder_.path(), trainer.step(), steps_, trainer.epoch(), epochs_, step.loss});
    }
    if (step.ends_epoch) {
      log.add({.step = trainer.step(),
               .stage = trainer.stages()[step.stage].name,
               .epoch = step.epoch + 1,
               .loss = step.mean_loss,
               .lr = step.lr,
               .seconds = train_seconds_});
      loss_ = step.mean_loss;
      const auto now = Clock::now();
      if (trainer.done() || now - saved >= kSaveInterval) {
        trainer.save(folder_.state_file(), state_text);
        saved = now;
      }
    }
    if (observer.stop && observer.stop() && !trainer.done()) {
      trainer.save(folder_.state_file(), state_text);
      return false;
    }
  }
  return true;
}

RunResult TuningRun::result_of(const Learner& learner, std::int64_t test_images, const Times& times,
                               const RunClock& clock) const {
  RunResult result{.out = folder_.path(),
                   .method = spec_.method,
                   .title = spec_.title,
                   .changed = spec_.changed,
                   .seed = spec_.seed,
                   .data = spec_.data.path,
                   .parameters = 0,
                   .train_images = images_,
                   .test_images = test_images,
                   .epochs = epochs_,
                   .steps = steps_,
                   .loss = loss_,
                   .assumptions = spec_.model.assumptions,
                   .metrics = {},
                   .files = {},
                   .cost = {}};
  for (const auto& [name, tensor] : learner.parameters()) result.parameters += tensor.numel();
  const RunCost cost = clock.cost();
  result.cost = {.train_seconds = train_seconds_,
                 .encode_seconds = times.encode,
                 .text_seconds = times.text,
                 .score_seconds = times.score,
                 .seconds_per_image = times.score / static_cast<double>(result.test_images),
                 .seconds = cost.seconds,
                 .peak_memory_bytes = static_cast<double>(cost.peak_memory_bytes),
                 .version = cost.version};
  return result;
}

RunResult TuningRun::finish(Learner& learner, const TestImages& test, double encode_seconds) {
  const RunClock clock;
  auto start = Clock::now();
  const Scorer scorer = learner.scorer(spec_.new_names());
  const double text_seconds = seconds_since(start);
  start = Clock::now();
  const Scores scores = score_images(scorer, learner.scored_input(), test);
  const double score_seconds = seconds_since(start);

  LogitPredictions predictions = {.side = {},
                                  .label = {},
                                  .score = floats_of(scores.r),
                                  .base_logits = floats_of(scores.base_logits),
                                  .new_logits = floats_of(scores.new_logits),
                                  .base_classes = spec_.base_classes,
                                  .new_classes = spec_.new_classes(),
                                  .classes = spec_.classes,
                                  .meta = prediction_meta(spec_, test.summary)};
  set_sides(predictions, test.labels, static_cast<std::int32_t>(spec_.base_classes));
  save_prompts(learner, folder_.prompts_file());
  save_logit_predictions(predictions, folder_.predictions_file(), "tune");

  const Predictions measured = view_predictions(predictions, folder_.predictions_file(), "tune");
  const std::vector<MetricRecord> metrics = measure(measured, kRunMetrics);
  RunResult result = result_of(learner, test.features.size(0),
                               {encode_seconds, text_seconds, score_seconds}, clock);
  result.metrics = metrics;
  result = folder_.finish(std::move(result), "tune");
  lease_.reset();
  return result;
}

RunResult TuningRun::finish(Learner& learner, const std::vector<NameList>& lists,
                            const TestViews& test, double encode_seconds) {
  const RunClock clock;
  auto start = Clock::now();
  const ViewScorer scorer = learner.view_scorer(lists);
  const double text_seconds = seconds_since(start);
  start = Clock::now();
  ScoredViews scored = score_views(scorer, learner.scored_input(), test);
  const double score_seconds = seconds_since(start);

  save_prompts(learner, folder_.prompts_file());
  std::vector<ViewResult> views;
  for (std::size_t v = 0; v < scored.views.size(); ++v) {
    const View& view = test.plan->views[v];
    Predictions& of_view = scored.views[v];
    of_view.classes = test.class_names[v];
    of_view.meta = view_meta(spec_, {view.world, view.level, view.t});
    save_predictions(of_view, folder_.view_file(v));
    views.push_back({.world = view.world,
                     .level = view.level,
                     .t = view.t,
                     .file = RunFolder::view_name(v),
                     .base_classes = of_view.base_classes,
                     .new_classes = of_view.new_classes,
                     .base_images = std::ranges::count(of_view.side.values, 0),
                     .new_images = std::ranges::count(of_view.side.values, 1),
                     .unknown_images = std::ranges::count(of_view.side.values, -1),
                     .metrics = measure(of_view, kViewMetrics)});
  }
  RunResult result =
      result_of(learner, scored.images, {encode_seconds, text_seconds, score_seconds}, clock);
  result.views = std::move(views);
  result = folder_.finish(std::move(result), "tune");
  lease_.reset();
  return result;
}

}  // namespace openworld

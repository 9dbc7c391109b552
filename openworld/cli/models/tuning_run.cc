#include "openworld/cli/models/tuning_run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/cli/models/class_list.h"
#include "openworld/cli/models/long_run.h"
#include "openworld/base/stop_signals.h"
#include "openworld/io/training_log.h"
#include "openworld/cli/run_record.h"
#include "openworld/cli/text_table.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/json_file.h"
#include "openworld/io/mapped_file.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/learners/trainer.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/predictions/predictions.h"
#include "openworld/predictions/result_json.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using at::Tensor;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "tune";

// A state goes to the disk after an epoch, but not more often: small models do a hundred epochs a
// second.
constexpr std::chrono::seconds kSaveInterval(1);
// Images that are scored at once, and if they have patches, which take 200 times the memory.
constexpr std::int64_t kScoreRows = 4096, kPatchRows = 256;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// In its order, since two objects are equal here only in the same order.
Json read_ordered(const std::string& path) {
  const Json json = Json::parse(as_text(map_file({kFunction, path}).values), nullptr, false);
  if (!json.is_object()) Origin{kFunction, path}.fail("is damaged; --restart begins anew");
  return json;
}

Scores score_all(const Scorer& scorer, const TestImages& test, bool patches) {
  const at::NoGradGuard no_grad;
  std::vector<Tensor> base, new_logits, r;
  const std::int64_t most = patches ? kPatchRows : kScoreRows, all = test.features.size(0);
  for (std::int64_t begin = 0; begin < all; begin += most) {
    const std::int64_t rows = std::min(most, all - begin);
    ScoredImages images{test.features.narrow(0, begin, rows)};
    if (patches) {
      images.local = test.patches(
          std::span(test.samples)
              .subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(rows)));
    }
    // Small products; on one thread their bits do not depend on how many there are.
    const BlasThreads blas(1);
    const OpenMpThreads open_mp(1);
    const Scores part = scorer(images);
    base.push_back(part.base_logits);
    new_logits.push_back(part.new_logits);
    r.push_back(part.r);
  }
  return {at::cat(base).contiguous(), at::cat(new_logits).contiguous(), at::cat(r).contiguous()};
}

}  // namespace

TuningRun::TuningRun(std::string folder, Json run, bool restart)
    : folder_(std::move(folder)), paths_(folder_), restart_(restart), run_(std::move(run)) {
  if (restart_) return;
  std::error_code ignored;
  if (fs::is_regular_file(paths_.run, ignored)) {
    expect_same_run(read_ordered(paths_.run), run_, paths_.run, kFunction);
  }
  if (fs::is_regular_file(paths_.state, ignored)) {
    const Json was = Json::parse(saved_tuning(paths_.state), nullptr, false);
    if (!was.is_object()) Origin{kFunction, paths_.state}.fail("is damaged; --restart begins anew");
    expect_same_run(was, run_, paths_.state, kFunction);
  }
}

std::optional<Json> TuningRun::finished() const {
  std::error_code ignored;
  if (restart_ || !fs::is_regular_file(paths_.result, ignored)) return std::nullopt;
  Json json = read_ordered(paths_.result);
  try {
    result_text(json);
  } catch (const Json::exception& e) {
    Origin{kFunction, paths_.result}.fail(
        fmt::format("is no result of a run: {}; --restart begins anew", e.what()));
  }
  return json;
}

void TuningRun::begin() const {
  std::error_code error;
  if (restart_) {
    // run.json goes last: without it the folder is no run any more.
    for (const std::string* path : {&paths_.result, &paths_.state, &paths_.log, &paths_.prompts,
                                    &paths_.predictions, &paths_.threshold, &paths_.run}) {
      fs::remove(*path, error);
    }
  }
  if (fs::is_regular_file(paths_.run, error)) return;
  fs::create_directories(folder_, error);
  if (error) Origin{kFunction, folder_}.fail(fmt::format("cannot be made: {}", error.message()));
  write_file_atomically(paths_.run, run_.dump(2) + "\n", kFunction);
}

bool TuningRun::train(Learner& learner, const Episode& episode, bool quiet) {
  Trainer trainer(learner, episode, run_["seed"].get<std::uint64_t>());
  steps_ = trainer.steps();
  epochs_ = trainer.epochs();
  images_ = episode.labels.size(0);
  if (trainer.done()) return true;
  std::error_code ignored;
  if (fs::is_regular_file(paths_.state, ignored)) {
    trainer.load(paths_.state);
    if (!quiet && !trainer.done()) {
      say(fmt::format("{}: going on from step {} of {}", folder_, trainer.step(), steps_));
    }
  }
  last_ = cut_log(paths_.log, trainer.step(), kFunction);
  const double before = last_.is_object() ? last_.value("seconds", 0.0) : 0.0;
  train_seconds_ = before;
  TrainingLog log(paths_.log, kFunction);
  const StopSignals signals;
  Progress progress(fmt::format("tuning {}", folder_), static_cast<std::size_t>(steps_));
  const auto start = Clock::now();
  auto saved = start;
  while (!trainer.done()) {
    const TrainStep step = trainer.run_step();
    train_seconds_ = before + seconds_since(start);
    progress.update(static_cast<std::size_t>(trainer.step()),
                    fmt::format("epoch {}/{}  loss {:.4f}", trainer.epoch(), epochs_, step.loss));
    if (step.ends_epoch) {
      last_ = {{"step", trainer.step()},  {"stage", trainer.stages()[step.stage].name},
               {"epoch", step.epoch + 1}, {"loss", step.mean_loss},
               {"lr", step.lr},           {"seconds", train_seconds_}};
      log.add(last_);
      const auto now = Clock::now();
      if (trainer.done() || now - saved >= kSaveInterval) {
        trainer.save(paths_.state, dump_line(run_));
        saved = now;
      }
    }
    if (signals.asked() && !trainer.done()) {
      trainer.save(paths_.state, dump_line(run_));
      return false;
    }
  }
  return true;
}

Json TuningRun::finish(Learner& learner, const TestImages& test, double encode_seconds) {
  const RunRecord record;
  auto start = Clock::now();
  const Scorer scorer = learner.scorer(new_names_of(nlohmann::json(run_)));
  const double text_seconds = seconds_since(start);
  start = Clock::now();
  const Scores scores = score_all(scorer, test, learner.scores_patches());
  const double score_seconds = seconds_since(start);
  for (const Tensor* values : {&scores.base_logits, &scores.new_logits, &scores.r}) {
    if (!is_finite(floats_of(*values))) {
      fail(kFunction,
           "scores of the test images hold NaN or infinity; the model's features of "
           "them or of the names are zero or not finite");
    }
  }
  const Json meta = {{"method", run_["method"]},      {"options", run_["options"]},
                     {"seed", run_["seed"]},          {"shots", run_["shots"]},
                     {"model", run_["model"]},        {"data", test.data},
                     {"templates", run_["templates"]}};
  LogitPredictions predictions = {.side = {},
                                  .label = {},
                                  .score = floats_of(scores.r),
                                  .base_logits = floats_of(scores.base_logits),
                                  .new_logits = floats_of(scores.new_logits),
                                  .base_classes = run_["base_classes"].get<std::size_t>(),
                                  .new_classes = run_["new_classes"].get<std::size_t>(),
                                  .classes = run_["classes"].get<std::vector<std::string>>(),
                                  .meta = dump_line(meta)};
  set_sides(predictions, test.labels, run_["base_classes"].get<std::int32_t>());
  save_prompts(learner, paths_.prompts);
  save_logit_predictions(predictions, paths_.predictions, kFunction);

  const Predictions stored = load_predictions(paths_.predictions);
  const EvalOptions options;
  const Evaluation evaluation =
      evaluate(stored.outcomes(), find_metrics("base_acc,new_acc,hm,auroc,openworld_auc"), options);
  std::int64_t parameters = 0;
  for (const auto& [name, tensor] : learner.parameters()) parameters += tensor.numel();
  const auto images = static_cast<double>(test.features.size(0));
  Json json = {{"schema", "openworld.tune/1"},
               {"out", folder_},
               {"method", run_["method"]},
               {"title", run_["title"]},
               {"changed", run_["changed"]},
               {"seed", run_["seed"]},
               {"data", run_["data"]["path"]},
               {"parameters", parameters},
               {"train_images", images_},
               {"test_images", test.features.size(0)},
               {"epochs", epochs_},
               {"steps", steps_},
               {"loss", last_.is_object() ? last_["loss"] : Json()}};
  json["metrics"] = Json::parse(result_json(evaluation, options))["metrics"];
  Json cost = {{"train_seconds", train_seconds_},
               {"encode_seconds", encode_seconds},
               {"text_seconds", text_seconds},
               {"score_seconds", score_seconds},
               {"seconds_per_image", score_seconds / images}};
  cost.update(Json::parse(record.json()));
  json["run"] = std::move(cost);
  write_file_atomically(paths_.result, json.dump(2) + "\n", kFunction);
  std::error_code ignored;
  fs::remove(paths_.state, ignored);
  return json;
}

std::string result_text(const Json& result) {
  std::string text =
      fmt::format("{}: {} on {}, seed {}", result.at("out").get<std::string>(),
                  result.at("title").get<std::string>(), result.at("data").get<std::string>(),
                  result.at("seed").get<std::uint64_t>());
  const auto steps = result.at("steps").get<std::size_t>();
  if (steps > 0) {
    text += fmt::format("; {}, {}, {:.1f} s, loss {:.4f}",
                        counted(result.at("parameters").get<std::size_t>(), "parameter"),
                        counted(steps, "step"), result.at("run").at("train_seconds").get<double>(),
                        result.at("loss").get<double>());
  }
  text += "\n";
  for (const auto& [name, metric] : result.at("metrics").items()) {
    const Json& value = metric.at("value");
    text += fmt::format("  {} {}", name, value.is_null() ? "-" : percent(value.get<double>()));
  }
  return text + "\n";
}

}  // namespace openworld

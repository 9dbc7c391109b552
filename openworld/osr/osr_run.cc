#include "openworld/osr/osr_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "openworld/base/clock.h"
#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/is_file.h"
#include "openworld/io/option_json.h"
#include "openworld/io/run_cost.h"
#include "openworld/io/training_log.h"
#include "openworld/osr/osr_trainer.h"
#include "openworld/predictions/logit_predictions.h"
#include "openworld/pretrain/gemm_rate.h"
#include "openworld/runs/or_restart.h"
#include "openworld/runs/run_paths.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// A crash loses at most this much work; a state of vgg32 takes 10 ms to write.
constexpr std::chrono::seconds kSaveInterval(20);
constexpr std::chrono::minutes kRateInterval(1);  // between measurements of 0.1 s
// Below it the rate is not measured: the measurement would take longer than the training.
constexpr double kWorthRating = 1;

Json epoch_json(const OsrEpoch& epoch) {
  Json json = {{"step", epoch.step},
               {"epoch", epoch.epoch},
               {"loss", epoch.loss},
               {"lr", epoch.lr},
               {"images_per_second", epoch.images_per_second}};
  if (epoch.gemm_share > 0) json["gemm_share"] = epoch.gemm_share;
  json["seconds"] = epoch.seconds;
  if (epoch.test) {
    json["base_acc"] = epoch.test->base_acc;
    json["auroc"] = epoch.test->auroc;
    json["open_auc"] = epoch.test->open_auc;
  }
  return json;
}

double number_of(const Json& json, const char* key) {
  return json.is_object() && json.contains(key) && json[key].is_number() ? json[key].get<double>()
                                                                         : 0.0;
}

// The speed of matrix products on this machine, the best that was measured so far: it may be busy
// at the start and free later.
class GemmRate {
 public:
  double update(int threads) {
    if (best_ > 0 && Clock::now() - measured_ < kRateInterval) return best_;
    best_ = std::max(best_, gemm_rate(threads > 0 ? threads : default_threads()));
    measured_ = Clock::now();
    return best_;
  }

 private:
  double best_ = 0;
  Clock::time_point measured_;
};

}  // namespace

OsrModel model_of(const RunSpec& spec) {
  return OsrModel({.method = spec.method,
                   .net = spec.network->name,
                   .options = spec.options,
                   .classes = static_cast<std::int64_t>(spec.base_classes),
                   .input = spec.network->input,
                   .norm_sets = 0,
                   .seed = spec.seed});
}

std::string osr_meta(const RunSpec& spec, const std::string& data, std::size_t samples) {
  return dump_line(Json{{"method", spec.method},
                        {"options", option_json(spec.options)},
                        {"seed", spec.seed},
                        {"model", {{"path", spec.network->name}, {"format", "osr"}}},
                        {"data", {{"path", data}, {"images", samples}}}});
}

namespace {

// The arrays of predictions of samples with these labels; -1 is unknown. REQUIRES: `predictions`
// outlives them.
LogitPredictions logit_predictions(const OsrPredictions& predictions,
                                   const std::vector<std::int32_t>& labels,
                                   const std::vector<std::string>& classes,
                                   const std::string& meta) {
  LogitPredictions arrays = {.side = {},
                             .label = {},
                             .score = predictions.score,
                             .base_logits = predictions.logits,
                             .new_logits = {},
                             .base_classes = classes.size(),
                             .new_classes = 0,
                             .classes = classes,
                             .meta = meta};
  set_sides(arrays, labels, static_cast<std::int32_t>(classes.size()));
  return arrays;
}

}  // namespace

void save_osr_predictions(const OsrPredictions& predictions,
                          const std::vector<std::int32_t>& labels,
                          const std::vector<std::string>& classes, const std::string& meta,
                          const std::string& path, const std::string& function) {
  save_logit_predictions(logit_predictions(predictions, labels, classes, meta), path, function);
}

OsrRun::OsrRun(const std::string& folder, RunSpec spec, bool restart)
    : folder_(folder), spec_(std::move(spec)), restart_(restart) {
  if (!restart_) expect_same_folder();
}

void OsrRun::expect_same_folder() {
  const auto expect_same = [&](const RunSpec& was, const Origin& origin) {
    spec_ = resumed_spec(folder_, was, std::move(spec_), origin);
  };
  if (folder_.is_run()) {
    const Origin origin{"osr train", folder_.spec_file()};
    expect_same(or_restart([&] { return read_run_spec(origin); }), origin);
  }
  if (is_file(folder_.state_file())) {
    const Origin origin{"osr train", folder_.state_file()};
    expect_same(or_restart([&] {
                  const std::string text = saved_osr_run(origin.file);
                  return parse_run_spec(std::as_bytes(std::span(text)), origin);
                }),
                origin);
  }
}

std::optional<RunResult> OsrRun::finished() const {
  if (restart_ || !folder_.is_finished()) return std::nullopt;
  return or_restart([&] {
    folder_.expect_whole({RunFile::kSpec, RunFile::kModel, RunFile::kPredictions}, "osr train");
    return folder_.result("osr train");
  });
}

std::optional<RunResult> OsrRun::run(const OsrData& data, std::int64_t test_every, int threads,
                                     const OsrObserver& observer) {
  lease_.emplace(folder_.path(), "osr train");
  if (restart_) {
    folder_.clear();
  } else {
    expect_same_folder();  // another process may have begun one since
  }
  folder_.begin(spec_, "osr train");
  const OsrModel model = model_of(spec_);
  if (!train(model, data, test_every, threads, observer)) return std::nullopt;
  RunResult result = finish(model, data, threads);
  lease_.reset();
  return result;
}

OsrEpochTest OsrRun::test(const OsrModel& model, const OsrSamples& samples, int threads) const {
  const OsrPredictions predictions = model.predict(samples, threads);
  const LogitPredictions arrays =
      logit_predictions(predictions, samples.labels(), spec_.classes, "");
  const Predictions measured = view_predictions(arrays, folder_.path(), "osr train");
  const Evaluation evaluation =
      evaluate(measured.outcomes(), find_metrics("base_acc,auroc,open_auc"), {.ci = Ci::kNone});
  const auto value = [&](const char* metric) { return evaluation.find(metric)->value.value; };
  return {.base_acc = value("base_acc"), .auroc = value("auroc"), .open_auc = value("open_auc")};
}

bool OsrRun::train(const OsrModel& model, const OsrData& data, std::int64_t test_every, int threads,
                   const OsrObserver& observer) {
  const OsrSamples& samples = *data.train;
  if (!model.net().takes_images) {
    std::vector<std::uint32_t> rows(samples.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
    model.network().fit_input(make_batch(samples, rows, {}).input);
  }
  OsrTrainer trainer(model, samples, {.seed = spec_.seed, .threads = threads});
  steps_ = trainer.steps();
  if (is_file(folder_.state_file())) {
    trainer.load(folder_.state_file());
    if (!trainer.done() && observer.note) {
      observer.note(
          fmt::format("{}: resuming from step {} of {}", folder_.path(), trainer.step(), steps_));
    }
  }
  const std::string state_text = run_spec_text(spec_, -1);
  const Json last = cut_log(folder_.log_file(), trainer.step(), "osr train");
  if (last.is_object()) loss_ = number_of(last, "loss");
  TrainingLog log(folder_.log_file(), "osr train");
  const double before = number_of(last, "seconds");
  train_seconds_ = before;
  const auto start = Clock::now();
  const std::int64_t first = trainer.step();
  auto saved = start, epoch_start = start;
  double flops = 0;
  std::int64_t images = 0;
  GemmRate rate;
  while (!trainer.done()) {
    const OsrStep step = trainer.run_step();
    train_seconds_ = before + seconds_since(start);
    flops += step.flops;
    images += step.images;
    if (observer.step) {
      const std::int64_t per_epoch = trainer.steps_per_epoch();
      observer.step({.folder = folder_.path(),
                     .epoch = step.epoch + 1,
                     .epochs = trainer.epochs(),
                     .epoch_step = trainer.step() - step.epoch * per_epoch,
                     .epoch_steps = per_epoch,
                     .loss = step.mean_loss});
    }
    if (step.ends_epoch) {
      const double seconds = std::max(seconds_since(epoch_start), 1e-9);
      OsrEpoch line{.step = trainer.step(),
                    .epoch = step.epoch + 1,
                    .loss = step.mean_loss,
                    .lr = step.lr,
                    .images_per_second = static_cast<double>(images) / seconds,
                    .gemm_share = 0,
                    .seconds = train_seconds_};
      if (seconds >= kWorthRating) line.gemm_share = flops / seconds / rate.update(threads);
      if (test_every > 0 && line.epoch % test_every == 0) {
        line.test = test(model, *data.test, threads);
      }
      log.add(epoch_json(line));
      loss_ = step.mean_loss;
      const double per_step = seconds_since(start) / static_cast<double>(trainer.step() - first);
      if (observer.epoch) {
        observer.epoch(line, trainer.epochs(),
                       per_step * static_cast<double>(steps_ - trainer.step()));
      }
      flops = 0;
      images = 0;
      epoch_start = Clock::now();
    }
    const bool stop = observer.stop && observer.stop() && !trainer.done();
    if (stop || trainer.done() || Clock::now() - saved >= kSaveInterval) {
      trainer.save(folder_.state_file(), state_text);
      saved = Clock::now();
    }
    if (stop) return false;
  }
  return true;
}

RunResult OsrRun::finish(const OsrModel& model, const OsrData& data, int threads) {
  const RunClock clock;
  const auto start = Clock::now();
  const OsrPredictions predictions = model.predict(*data.test, threads);
  const double score_seconds = seconds_since(start);
  model.save(folder_.model_file());
  const std::string path = folder_.predictions_file();
  save_osr_predictions(predictions, data.test->labels(), spec_.classes,
                       osr_meta(spec_, spec_.data_name(), data.test->size()), path, "osr train");

  const EvalOptions options;
  std::vector<MetricRecord> metrics;
  const Predictions measured = load_predictions(path);
  const Evaluation evaluation =
      evaluate(measured.outcomes(), find_metrics(kOsrRunMetrics), options);
  for (const MetricResult& metric : evaluation.metrics) {
    metrics.push_back(metric_record(metric, options));
  }
  const auto tested = static_cast<std::int64_t>(data.test->size());
  const RunCost cost = clock.cost();
  RunResult result{.out = folder_.path(),
                   .method = spec_.method,
                   .title = spec_.title,
                   .changed = spec_.changed,
                   .seed = spec_.seed,
                   .data = spec_.data_name(),
                   .parameters = model.parameter_count(),
                   .train_images = static_cast<std::int64_t>(data.train->size()),
                   .test_images = tested,
                   .epochs = model.options().epochs,
                   .steps = steps_,
                   .loss = loss_,
                   .metrics = std::move(metrics),
                   .cost = {.train_seconds = train_seconds_,
                            .score_seconds = score_seconds,
                            .seconds_per_image = score_seconds / static_cast<double>(tested),
                            .seconds = cost.seconds,
                            .peak_memory_bytes = static_cast<double>(cost.peak_memory_bytes),
                            .version = cost.version}};
  return folder_.finish(std::move(result), "osr train");
}

}  // namespace openworld

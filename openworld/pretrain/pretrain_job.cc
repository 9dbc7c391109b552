#include "openworld/pretrain/pretrain_job.h"

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/threads.h"
#include "openworld/io/atomic_file.h"
#include "openworld/io/dump_line.h"
#include "openworld/io/folder_lease.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/training_log.h"
#include "openworld/pretrain/eval_set.h"
#include "openworld/pretrain/pretrain_inputs.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/vlm/blas_memory.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/vlm/load_clip.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto kFunction = "pretrain";
constexpr std::chrono::minutes kSaveInterval(2);  // a crash loses at most this much work
constexpr std::size_t kMaxSkipped = 5;            // images that are named; the log counts all

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// Sums over the steps of an epoch, or over those since a resume.
struct EpochSums {
  double loss = 0, accuracy = 0, norm = 0;
  std::int64_t steps = 0;
  std::size_t images = 0, failures = 0;
  Clock::time_point start = Clock::now();

  void add(const StepReport& report) {
    loss += report.loss;
    accuracy += report.accuracy;
    norm += report.gradient_norm;
    images += report.images;
    failures += report.failures.size();
    ++steps;
  }
  double mean(double sum) const {
    return sum / static_cast<double>(std::max<std::int64_t>(steps, 1));
  }
};

}  // namespace

struct PretrainJob::Parts {
  Parts(PretrainSpec spec_of_job, std::string folder, const PretrainSettings& job_settings)
      : spec(std::move(spec_of_job)),
        out(std::move(folder)),
        settings(job_settings),
        state(out + "/state.safetensors"),
        log(out + "/log.jsonl"),
        result(out + "/pretrain.json"),
        inputs(open_pretrain_inputs(spec)),
        record(pretrain_record(spec, inputs)) {}

  std::optional<PretrainResult> find_result() const;
  void resume(Pretrainer& trainer) const;
  void save(const Pretrainer& trainer) const;
  std::vector<NamedAccuracy> measure(const Clip& clip) const;
  bool train(Pretrainer& trainer, const PretrainObserver& observer);
  void end_epoch(const Pretrainer& trainer, const EpochSums& sums, const StepReport& report,
                 TrainingLog& file);
  PretrainResult finish(const Pretrainer& trainer) const;

  RunClock clock;
  PretrainSpec spec;
  std::string out;
  PretrainSettings settings;
  std::string state, log, result;  // paths
  PretrainInputs inputs;
  PretrainRecord record;
  std::vector<EvalSet> eval;
  std::optional<PretrainEpoch> last;  // line of the log
};

std::optional<PretrainResult> PretrainJob::Parts::find_result() const {
  if (!is_file(result)) return std::nullopt;
  const Origin origin{kFunction, result};
  PretrainResult found = read_pretrain_result(origin);
  expect_same_record(found.record, record, origin);
  return found;
}

void PretrainJob::Parts::resume(Pretrainer& trainer) const {
  if (!is_file(state)) return;
  const Origin origin{kFunction, state};
  const std::string text = saved_run(state);
  const nlohmann::json json = parse_json(std::as_bytes(std::span(text)), origin);
  expect_same_record(read_pretrain_record(JsonFields(json, "", origin)), record, origin);
  trainer.load(state);
}

void PretrainJob::Parts::save(const Pretrainer& trainer) const {
  trainer.save(state, dump_line(pretrain_record_json(record)));
}

std::vector<NamedAccuracy> PretrainJob::Parts::measure(const Clip& clip) const {
  std::vector<NamedAccuracy> accuracy;
  for (const EvalSet& set : eval) {
    accuracy.push_back(
        {set.name, zeroshot_accuracy(clip, *inputs.tokenizer, set, settings.threads)});
  }
  return accuracy;
}

// False if it was asked to stop before the end.
bool PretrainJob::Parts::train(Pretrainer& trainer, const PretrainObserver& observer) {
  TrainingLog file(log, kFunction);
  const std::int64_t per_epoch = trainer.steps_per_epoch(), epochs = spec.training.epochs;
  const std::int64_t first = trainer.step();
  const Clock::time_point start = Clock::now();
  Clock::time_point saved = start;
  std::size_t skipped = 0;
  while (trainer.step() < trainer.steps()) {
    const std::int64_t epoch = trainer.step() / per_epoch + 1;
    EpochSums sums;
    StepReport report;
    bool stopped = false;
    do {
      report = trainer.run_step();
      sums.add(report);
      for (const std::string& message : report.failures) {
        if (++skipped <= kMaxSkipped && observer.skipped) observer.skipped(message);
      }
      if (observer.step) {
        observer.step({.epoch = epoch,
                       .epochs = epochs,
                       .epoch_step = (trainer.step() - 1) % per_epoch + 1,
                       .epoch_steps = per_epoch,
                       .loss = sums.mean(sums.loss)});
      }
      stopped = observer.stop && observer.stop();
      if (!stopped && Clock::now() - saved > kSaveInterval) {
        save(trainer);
        saved = Clock::now();
      }
    } while (trainer.step() % per_epoch != 0 && !stopped);
    const double per_step = seconds_since(start) / static_cast<double>(trainer.step() - first);
    if (trainer.step() % per_epoch == 0) {
      end_epoch(trainer, sums, report, file);
      const auto left = static_cast<double>(trainer.steps() - trainer.step());
      if (observer.epoch) observer.epoch(*last, epochs, per_step * left);
    }
    if (stopped && trainer.step() < trainer.steps()) {
      save(trainer);
      return false;
    }
  }
  return true;
}

void PretrainJob::Parts::end_epoch(const Pretrainer& trainer, const EpochSums& sums,
                                   const StepReport& report, TrainingLog& file) {
  const std::int64_t epoch = trainer.step() / trainer.steps_per_epoch();
  last = {.step = trainer.step(),
          .epoch = epoch,
          .loss = sums.mean(sums.loss),
          .batch_accuracy = sums.mean(sums.accuracy),
          .gradient_norm = sums.mean(sums.norm),
          .lr = report.lr,
          .logit_scale = report.logit_scale,
          .images = sums.images,
          .unreadable = sums.failures,
          .images_per_second =
              static_cast<double>(sums.images) / std::max(seconds_since(sums.start), 1e-9)};
  const bool is_last = trainer.step() == trainer.steps();
  if (spec.eval_every > 0 && epoch % spec.eval_every == 0 && !is_last && !eval.empty()) {
    last->accuracy = measure(trainer.result());
  }
  file.add(pretrain_epoch_json(*last));
}

// Writes the model, and then the result.
PretrainResult PretrainJob::Parts::finish(const Pretrainer& trainer) const {
  const Clip clip = trainer.result();
  PretrainResult made{.out = out,
                      .parameters = parameter_count(clip.config),
                      .steps = trainer.steps(),
                      .accuracy = measure(clip),
                      .record = record};
  if (last) {
    made.loss = last->loss;
    made.batch_accuracy = last->batch_accuracy;
  }
  save_clip(clip, inputs.tokenizer->vocabulary(), out,
            spec.model.half ? TensorType::kF16 : TensorType::kF32);
  made.cost = clock.cost();
  using Handler = nlohmann::ordered_json::error_handler_t;
  write_file_atomically(
      result, pretrain_result_json(made).dump(2, ' ', false, Handler::replace) + "\n", kFunction);
  std::error_code ignored;
  fs::remove(state, ignored);
  return made;
}

PretrainJob::PretrainJob(PretrainSpec spec, std::string out, const PretrainSettings& settings) {
  spec.check();
  spec.training.threads = settings.threads;
  keep_freed_memory();
  const int threads = settings.threads > 0 ? settings.threads : default_threads();
  expect_blas_memory(threads);
  at::set_num_threads(threads);
  parts_ = std::make_unique<Parts>(std::move(spec), std::move(out), settings);
}

PretrainJob::~PretrainJob() = default;

const PretrainRecord& PretrainJob::record() const {
  return parts_->record;
}

PretrainOutcome PretrainJob::run(const PretrainObserver& observer) {
  Parts& parts = *parts_;
  using Kind = PretrainOutcome::Kind;
  if (parts.settings.restart) {
    std::error_code ignored;
    for (const std::string& path : {parts.state, parts.log, parts.result}) {
      fs::remove(path, ignored);
    }
  }
  if (std::optional<PretrainResult> found = parts.find_result()) {
    return {Kind::kWasFinished, found->steps, found->steps, std::move(*found)};
  }
  const FolderLease lease(parts.out, kFunction);
  const std::int64_t parameters = parameter_count(parts.inputs.clip.config);
  Pretrainer trainer(std::move(parts.inputs.clip), *parts.inputs.pairs, *parts.inputs.tokenizer,
                     parts.record.training);
  parts.resume(trainer);
  const Origin log_origin{kFunction, parts.log};
  if (const nlohmann::json line = cut_log(parts.log, trainer.step(), kFunction); !line.is_null()) {
    parts.last = read_pretrain_epoch(JsonFields(line, "", log_origin));
  }
  for (const std::string& name : parts.spec.eval) {
    parts.eval.push_back(open_eval_set(name, parts.spec.eval_split));
  }
  if (observer.start) {
    observer.start({.data = parts.record.data,
                    .parameters = parameters,
                    .tokens = parts.record.vocabulary,
                    .step = trainer.step(),
                    .steps = trainer.steps()});
  }
  if (!parts.train(trainer, observer)) {
    return {Kind::kStopped, trainer.step(), trainer.steps(), {}};
  }
  return {Kind::kFinished, trainer.steps(), trainer.steps(), parts.finish(trainer)};
}

}  // namespace openworld

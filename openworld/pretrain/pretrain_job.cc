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
#include "openworld/io/is_file.h"
#include "openworld/io/json_fields.h"
#include "openworld/io/json_file.h"
#include "openworld/io/training_log.h"
#include "openworld/pretrain/eval_set.h"
#include "openworld/pretrain/gemm_rate.h"
#include "openworld/pretrain/pretrain_inputs.h"
#include "openworld/pretrain/pretrainer.h"
#include "openworld/vlm/blas_memory.h"
#include "openworld/vlm/freed_memory.h"
#include "openworld/vlm/load_clip.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes kSaveInterval(2);  // a crash loses at most this much work
constexpr std::chrono::minutes kRateInterval(1);  // between measurements of 0.1 s
constexpr std::size_t kMaxSkipped = 5;            // images that are named; the log counts all

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Sums over the steps of an epoch, or over those since a resume.
struct EpochSums {
  double loss = 0, accuracy = 0, norm = 0, flops = 0;
  std::vector<double> terms;
  std::int64_t steps = 0;
  std::size_t images = 0, failures = 0;
  Clock::time_point start = Clock::now();

  void add(const StepReport& report) {
    loss += report.loss;
    accuracy += report.accuracy;
    norm += report.gradient_norm;
    flops += report.flops;
    images += report.images;
    failures += report.failures.size();
    terms.resize(report.terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) terms[i] += report.terms[i].loss;
    ++steps;
  }
  double mean(double sum) const {
    return sum / static_cast<double>(std::max<std::int64_t>(steps, 1));
  }
};

// Epochs of a stage; the last one may be cut short.
std::int64_t epochs_of(const Pretrainer& trainer) {
  return (trainer.steps() + trainer.steps_per_epoch() - 1) / trainer.steps_per_epoch();
}

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
        record(pretrain_record(spec, inputs)),
        stages(spec.all_stages()) {}

  std::optional<PretrainResult> find_result() const;
  std::optional<std::size_t> find_stage() const;
  void plan_steps();
  void measure_rate();
  void save(const Pretrainer& trainer) const;
  std::vector<NamedAccuracy> measure(const TrainedModel& model) const;
  bool train(Pretrainer& trainer, const PretrainObserver& observer, TrainingLog& file);
  void end_epoch(const Pretrainer& trainer, const EpochSums& sums, const StepReport& report,
                 TrainingLog& file);
  PretrainResult finish(const TrainedModel& model) const;

  RunClock clock;
  PretrainSpec spec;
  std::string out;
  PretrainSettings settings;
  std::string state, log, result;  // paths
  PretrainInputs inputs;
  PretrainRecord record;
  std::vector<StageSpec> stages;
  std::vector<std::int64_t> first_steps;  // of each stage, and at the end those of all
  std::size_t stage = 0;                  // that is trained
  bool has_text = false;                  // whether the text tower was ever trained
  double full_rate = 0;                   // of matrix products: the best measured so far
  Clock::time_point rated;                // when it was measured last
  std::vector<EvalSet> eval;
  std::optional<PretrainEpoch> last;  // line of the log
};

std::optional<PretrainResult> PretrainJob::Parts::find_result() const {
  if (!is_file(result)) return std::nullopt;
  const Origin origin{"pretrain", result};
  PretrainResult found = read_pretrain_result(origin);
  expect_same_record(found.record, record, origin);
  return found;
}

// The stage of a state that is there. Those after it may have changed.
std::optional<std::size_t> PretrainJob::Parts::find_stage() const {
  if (!is_file(state)) return std::nullopt;
  const Origin origin{"pretrain", state};
  const SavedRun saved = saved_run(state);
  const nlohmann::json json = parse_json(std::as_bytes(std::span(saved.run)), origin);
  const auto found = static_cast<std::size_t>(saved.stage);
  if (found >= stages.size()) {
    origin.fail(fmt::format("is of stage {} of {}", found + 1, stages.size()));
  }
  expect_same_record(first_stages(read_pretrain_record(JsonFields(json, "", origin)), found + 1),
                     first_stages(record, found + 1), origin);
  return found;
}

void PretrainJob::Parts::plan_steps() {
  first_steps = {0};
  for (const StageSpec& row : stages) {
    const StageInputs of_stage = inputs.of_stage(spec, row);
    const PretrainOptions& options = row.training;
    const std::int64_t steps =
        options.steps > 0
            ? options.steps
            : options.epochs * StageImages(of_stage.sources, inputs.model.clip.config.preprocessing,
                                           options, inputs.words.get())
                                   .plan()
                                   .steps_per_epoch();
    first_steps.push_back(first_steps.back() + steps);
  }
}

// A machine that was busy at the start may be free later, and then trains faster than it could.
void PretrainJob::Parts::measure_rate() {
  if (full_rate > 0 && Clock::now() - rated < kRateInterval) return;
  full_rate =
      std::max(full_rate, gemm_rate(settings.threads > 0 ? settings.threads : default_threads()));
  rated = Clock::now();
}

void PretrainJob::Parts::save(const Pretrainer& trainer) const {
  trainer.save(state, static_cast<std::int64_t>(stage), dump_line(pretrain_record_json(record)));
}

// By prompts, or by the vectors of names as long as there is no text tower.
std::vector<NamedAccuracy> PretrainJob::Parts::measure(const TrainedModel& model) const {
  const Clip clip = model.finished();
  std::vector<NamedAccuracy> accuracy;
  for (const EvalSet& set : eval) {
    if (has_text || !model.word_vectors.defined()) {
      accuracy.push_back(
          {set.name, zeroshot_accuracy(clip, *inputs.tokenizer, set, settings.threads)});
    } else {
      accuracy.push_back(
          vector_accuracy(clip, *inputs.words, model.word_vectors, set, settings.threads));
    }
  }
  return accuracy;
}

// False if it was asked to stop before the end of the stage.
bool PretrainJob::Parts::train(Pretrainer& trainer, const PretrainObserver& observer,
                               TrainingLog& file) {
  const std::int64_t per_epoch = trainer.steps_per_epoch(), epochs = epochs_of(trainer);
  const std::int64_t first = trainer.step();
  const Clock::time_point start = Clock::now();
  Clock::time_point saved = start;
  std::size_t skipped = 0;
  while (trainer.step() < trainer.steps()) {
    const std::int64_t before = trainer.step() / per_epoch * per_epoch;
    const std::int64_t end = std::min(before + per_epoch, trainer.steps());
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
        observer.step({.stage = stages[stage].name,
                       .epoch = before / per_epoch + 1,
                       .epochs = epochs,
                       .epoch_step = trainer.step() - before,
                       .epoch_steps = end - before,
                       .loss = sums.mean(sums.loss)});
      }
      stopped = observer.stop && observer.stop();
      if (!stopped && Clock::now() - saved > kSaveInterval) {
        save(trainer);
        saved = Clock::now();
      }
    } while (trainer.step() < end && !stopped);
    const double per_step = seconds_since(start) / static_cast<double>(trainer.step() - first);
    if (trainer.step() == end) {
      end_epoch(trainer, sums, report, file);
      const auto left = static_cast<double>(trainer.steps() - trainer.step());
      if (observer.epoch) observer.epoch(*last, epochs, per_step * left);
    }
    const bool is_end = trainer.step() == trainer.steps() && stage + 1 == stages.size();
    if (stopped && !is_end) {
      save(trainer);
      return false;
    }
  }
  return true;
}

void PretrainJob::Parts::end_epoch(const Pretrainer& trainer, const EpochSums& sums,
                                   const StepReport& report, TrainingLog& file) {
  const std::int64_t per_epoch = trainer.steps_per_epoch();
  const std::int64_t epoch = (trainer.step() + per_epoch - 1) / per_epoch;
  const double seconds = std::max(seconds_since(sums.start), 1e-9);
  measure_rate();
  last = {.step = first_steps[stage] + trainer.step(),
          .stage = stages[stage].name,
          .epoch = epoch,
          .loss = sums.mean(sums.loss),
          .batch_accuracy = sums.mean(sums.accuracy),
          .gradient_norm = sums.mean(sums.norm),
          .lr = report.lr,
          .logit_scale = report.logit_scale,
          .images = sums.images,
          .unreadable = sums.failures,
          .images_per_second = static_cast<double>(sums.images) / seconds,
          .gemm_share = sums.flops / seconds / full_rate};
  const std::vector<std::string> names = trainer.term_names();
  for (std::size_t i = 0; names.size() > 1 && i < names.size(); ++i) {
    last->losses.push_back({names[i], sums.mean(sums.terms[i])});
  }
  const bool is_last = last->step == first_steps.back();
  const bool stage_ends = trainer.step() == trainer.steps() && !spec.stages.empty();
  const bool due = spec.eval_every > 0 && epoch % spec.eval_every == 0;
  if ((due || stage_ends) && !is_last && !eval.empty()) last->accuracy = measure(trainer.result());
  file.add(pretrain_epoch_json(*last));
}

// Writes the model, and then the result.
PretrainResult PretrainJob::Parts::finish(const TrainedModel& model) const {
  const Clip clip = model.finished();
  PretrainResult made{.out = out,
                      .parameters = parameter_count(clip.config),
                      .steps = first_steps.back(),
                      .accuracy = measure(model),
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
      result, pretrain_result_json(made).dump(2, ' ', false, Handler::replace) + "\n", "pretrain");
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
  const FolderLease lease(parts.out, "pretrain");
  parts.plan_steps();
  const std::optional<std::size_t> resumed = parts.find_stage();
  parts.stage = resumed.value_or(0);
  for (const std::string& name : parts.spec.eval) {
    parts.eval.push_back(open_eval_set(name, parts.spec.eval_split));
  }
  parts.measure_rate();
  for (std::size_t i = 0; i < parts.stage; ++i) {
    parts.has_text |= parts.stages[i].training.weights.reads_texts();
  }
  parts.has_text |= !parts.spec.model.init.empty() && parts.spec.model.reinit != Tower::kText;
  TrainedModel model = std::move(parts.inputs.model);
  const std::int64_t parameters = parameter_count(model.clip.config);
  std::optional<TrainingLog> log;
  for (bool begins = true; parts.stage < parts.stages.size(); ++parts.stage, begins = false) {
    const StageSpec& stage = parts.stages[parts.stage];
    parts.has_text |= stage.training.weights.reads_texts();
    Pretrainer trainer(std::move(model), parts.inputs.of_stage(parts.spec, stage), stage.training);
    if (begins) {
      if (resumed) trainer.load(parts.state);
      const std::int64_t done = parts.first_steps[parts.stage] + trainer.step();
      const Origin origin{"pretrain", parts.log};
      if (const nlohmann::json line = cut_log(parts.log, done, "pretrain"); !line.is_null()) {
        parts.last = read_pretrain_epoch(JsonFields(line, "", origin));
      }
      log.emplace(parts.log, "pretrain");
      if (observer.start) {
        observer.start({.data = parts.record.data(),
                        .parameters = parameters,
                        .tokens = parts.record.vocabulary,
                        .words = parts.record.word_vectors,
                        .step = done,
                        .steps = parts.first_steps.back()});
      }
    }
    if (!parts.train(trainer, observer, *log)) {
      return {Kind::kStopped,
              parts.first_steps[parts.stage] + trainer.step(),
              parts.first_steps.back(),
              {}};
    }
    model = trainer.result();
  }
  const std::int64_t steps = parts.first_steps.back();
  return {Kind::kFinished, steps, steps, parts.finish(model)};
}

}  // namespace openworld

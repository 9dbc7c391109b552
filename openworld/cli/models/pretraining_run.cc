#include "openworld/cli/models/pretraining_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "openworld/base/progress.h"
#include "openworld/cli/models/long_run.h"
#include "openworld/cli/models/run_model.h"
#include "openworld/base/stop_signals.h"
#include "openworld/io/atomic_file.h"
#include "openworld/vlm/load_clip.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr auto kFunction = "pretrain";
constexpr std::chrono::minutes kSaveInterval(2);  // a crash loses at most this much work

}  // namespace

// What a stretch of steps did, for the log and for whoever watches.
struct PretrainingRun::Stretch {
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
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }
};

PretrainingRun::PretrainingRun(const PretrainFlags& flags, Pretrainer& trainer,
                               const Tokenizer& tokenizer, Json run)
    : flags_(flags),
      paths_(flags.out),
      trainer_(trainer),
      tokenizer_(tokenizer),
      run_(std::move(run)),
      last_(cut_log(paths_.log, trainer.step(), kFunction)) {
  for (const std::string& name : flags.eval) {
    eval_.push_back(open_eval_set(name, flags.eval_split));
  }
}

bool PretrainingRun::train() {
  const StopSignals signals;
  TrainingLog log(paths_.log, kFunction);
  Clock::time_point saved = Clock::now();
  const std::int64_t per_epoch = trainer_.steps_per_epoch(), first = trainer_.step();
  const Clock::time_point start = Clock::now();
  while (trainer_.step() < trainer_.steps()) {
    const std::int64_t epoch = trainer_.step() / per_epoch + 1;
    std::optional<Progress> line(std::in_place, fmt::format("epoch {}/{}", epoch, flags_.epochs),
                                 per_epoch);
    Stretch stretch;
    StepReport report;
    do {
      report = trainer_.run_step();
      name_failures(report);
      stretch.add(report);
      line->update(static_cast<std::size_t>((trainer_.step() - 1) % per_epoch + 1),
                   fmt::format("loss {:.3f}", stretch.mean(stretch.loss)));
      if (!signals.asked() && Clock::now() - saved > kSaveInterval) {
        save();
        saved = Clock::now();
      }
    } while (trainer_.step() % per_epoch != 0 && !signals.asked());
    line.reset();
    const auto done = static_cast<double>(trainer_.step() - first);
    const double spent = std::chrono::duration<double>(Clock::now() - start).count();
    const double left = spent / done * static_cast<double>(trainer_.steps() - trainer_.step());
    if (trainer_.step() % per_epoch == 0) end_epoch(epoch, stretch, report, left, log);
    if (signals.asked() && trainer_.step() < trainer_.steps()) {
      save();
      return false;
    }
  }
  return true;
}

Json PretrainingRun::finish(const RunRecord& record) {
  const Clip clip = trainer_.result();
  Json json = {{"schema", "openworld.pretrain/1"}, {"out", flags_.out}};
  json["parameters"] = parameter_count(clip.config);
  json["steps"] = trainer_.steps();
  for (const char* key : {"loss", "batch_accuracy"}) {
    json[key] = last_.is_object() ? last_[key] : Json();
  }
  json["accuracy"] = Json::object();
  for (const EvalSet& set : eval_) {
    json["accuracy"][set.name] = accuracy(clip, tokenizer_, set, flags_.threads);
  }
  json["options"] = run_;
  save_clip(clip, tokenizer_.vocabulary(), flags_.out,
            flags_.half ? TensorType::kF16 : TensorType::kF32);
  json["run"] = Json::parse(record.json());
  write_file_atomically(paths_.result, json.dump(2) + "\n", kFunction);
  std::error_code ignored;
  fs::remove(paths_.state, ignored);
  return json;
}

void PretrainingRun::save() const {
  trainer_.save(paths_.state, dump_line(run_));
}

void PretrainingRun::name_failures(const StepReport& report) {
  for (const std::string& message : report.failures) {
    if (++failures_ > 5) break;
    say("skipped: " + message);
  }
}

void PretrainingRun::end_epoch(std::int64_t epoch, const Stretch& stretch, const StepReport& report,
                               double left, TrainingLog& log) {
  const double images_per_second =
      static_cast<double>(stretch.images) / std::max(stretch.seconds(), 1e-9);
  last_ = {{"step", trainer_.step()},
           {"epoch", epoch},
           {"loss", stretch.mean(stretch.loss)},
           {"batch_accuracy", stretch.mean(stretch.accuracy)},
           {"gradient_norm", stretch.mean(stretch.norm)},
           {"lr", report.lr},
           {"logit_scale", report.factor},
           {"images", stretch.images},
           {"unreadable", stretch.failures},
           {"images_per_second", images_per_second}};
  std::string text = fmt::format(
      "epoch {}/{}  loss {:.3f}  right {:.1f} %  lr {:.2e}  {:.0f} images/s  {} left", epoch,
      flags_.epochs, stretch.mean(stretch.loss), 100 * stretch.mean(stretch.accuracy), report.lr,
      images_per_second, duration(left));
  const bool is_last = trainer_.step() == trainer_.steps();
  if (flags_.eval_every > 0 && epoch % flags_.eval_every == 0 && !is_last) {
    const Clip clip = trainer_.result();
    for (const EvalSet& set : eval_) {
      const double value = accuracy(clip, tokenizer_, set, flags_.threads);
      last_["accuracy"][set.name] = value;
      text += fmt::format("  {} {:.1f} %", set.name, 100 * value);
    }
  }
  log.add(last_);
  if (!flags_.json) say(text);
}

}  // namespace openworld

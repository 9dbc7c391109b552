// openworld pretrain, behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/progress.h"
#include "openworld/base/stop_signals.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/pretrain/pretrain_job.h"

namespace openworld {
namespace {

std::string start_text(const PretrainStart& start) {
  const std::string words =
      start.words == 0 ? "" : fmt::format(", {} names and words", start.words);
  return fmt::format("{}; {:.2f} M parameters, {} tokens{}, {} steps", start.data,
                     static_cast<double>(start.parameters) / 1e6, start.tokens, words, start.steps);
}

// "epoch 2/30", or "words: epoch 2/30" in a run of stages.
std::string epoch_name(const std::string& stage, std::int64_t epoch, std::int64_t epochs) {
  return fmt::format("{}{}epoch {}/{}", stage, stage.empty() ? "" : ": ", epoch, epochs);
}

std::string epoch_text(const PretrainEpoch& epoch, std::int64_t epochs, double seconds_left) {
  std::string losses;
  for (const auto& [name, value] : epoch.losses) {
    losses += fmt::format("{}{} {:.3f}", losses.empty() ? " (" : ", ", name, value);
  }
  if (!losses.empty()) losses += ")";
  std::string text = fmt::format(
      "{}  loss {:.3f}{}  right {:.1f} %  lr {:.2e}  {:.0f} images/s, {:.0f} % of the GEMM rate  "
      "{} left",
      epoch_name(epoch.stage, epoch.epoch, epochs), epoch.loss, losses, 100 * epoch.batch_accuracy,
      epoch.lr, epoch.images_per_second, 100 * epoch.gemm_share, duration(seconds_left));
  for (const auto& [data, value] : epoch.accuracy) {
    text += fmt::format("  {} {:.1f} %", data, 100 * value);
  }
  return text;
}

std::string result_text(const PretrainResult& result) {
  std::string text = fmt::format("wrote {}: {:.2f} M parameters, {} steps\n", result.out,
                                 static_cast<double>(result.parameters) / 1e6, result.steps);
  for (const auto& [data, value] : result.accuracy) {
    text += fmt::format("{}: {:.1f} % zero-shot\n", data, 100 * value);
  }
  return text;
}

PretrainOutcome run_job(const PretrainFlags& flags) {
  PretrainJob job(flags.spec, flags.out, {.threads = flags.threads, .restart = flags.restart});
  // From the start of training on, when there is something to save; before, signals end the
  // program.
  std::optional<StopSignals> signals;
  std::optional<Progress> line;
  PretrainObserver observer;
  observer.start = [&](const PretrainStart& start) {
    signals.emplace();
    if (flags.json) return;
    say(start_text(start));
    if (start.step > 0) say(fmt::format("resuming at step {} of {}", start.step, start.steps));
  };
  observer.step = [&](const PretrainProgress& now) {
    if (!line) {
      line.emplace(epoch_name(now.stage, now.epoch, now.epochs),
                   static_cast<std::size_t>(now.epoch_steps));
    }
    line->update(static_cast<std::size_t>(now.epoch_step), fmt::format("loss {:.3f}", now.loss));
    if (now.epoch_step == now.epoch_steps) line.reset();
  };
  observer.epoch = [&](const PretrainEpoch& epoch, std::int64_t epochs, double seconds_left) {
    if (!flags.json) say(epoch_text(epoch, epochs, seconds_left));
  };
  observer.skipped = [](const std::string& message) { say("skipped: " + message); };
  observer.stop = [&] { return signals->asked(); };
  return job.run(observer);
}

}  // namespace

void run_pretrain(const PretrainFlags& flags) {
  const PretrainOutcome outcome = run_job(flags);
  if (outcome.kind == PretrainOutcome::Kind::kStopped) {
    fail("pretrain", fmt::format("stopped at step {} of {}; the same command resumes there",
                                 outcome.step, outcome.steps));
  }
  if (outcome.kind == PretrainOutcome::Kind::kWasFinished) {
    say(flags.out + " is finished; --restart starts over");
  }
  if (flags.json) return print_json(pretrain_result_json(outcome.result));
  print_out("{}", result_text(outcome.result));
}

}  // namespace openworld

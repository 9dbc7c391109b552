// openworld tune, behind libtorch.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/progress.h"
#include "openworld/base/stop_signals.h"
#include "openworld/cli/models/print_result.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/tuning/tuning_job.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

// A line for each run in training.
class StepLine {
 public:
  void update(const TrainingProgress& now) {
    if (!line_ || now.folder != folder_) {
      line_.reset();
      line_ = std::make_unique<Progress>(fmt::format("tuning {}", now.folder),
                                         static_cast<std::size_t>(now.steps));
      folder_ = now.folder;
    }
    line_->update(static_cast<std::size_t>(now.step),
                  fmt::format("epoch {}/{}  loss {:.4f}", now.epoch, now.epochs, now.loss));
    if (now.step == now.steps) line_.reset();
  }
  void end() { line_.reset(); }

 private:
  std::string folder_;
  std::unique_ptr<Progress> line_;
};

}  // namespace

void run_tune(const TuneCommand& command) {
  // From the first step on, which there is something to save after; before, signals end the
  // program.
  std::optional<StopSignals> signals;
  StepLine line;
  TuningObserver observer{terminal_observer()};
  if (command.json) observer.note = {};
  observer.step = [&](const TrainingProgress& now) {
    if (!signals) signals.emplace();
    line.update(now);
  };
  observer.stop = [&] { return signals && signals->asked(); };
  observer.result = [&](const RunResult& result) {
    signals.reset();
    line.end();
    if (!command.json) print_result(result);
  };
  const std::vector<RunResult> results = run_tuning(command.request, observer);
  if (!command.json) return;
  Json list = Json::array();
  for (const RunResult& result : results) list.push_back(run_result_json(result));
  print_json(command.several ? Json{{"runs", std::move(list)}} : list[0]);
}

}  // namespace openworld

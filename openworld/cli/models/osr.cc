// openworld osr, behind libtorch.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/base/progress.h"
#include "openworld/base/stop_signals.h"
#include "openworld/cli/models/print_result.h"
#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_rows.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/osr/method_json.h"
#include "openworld/osr/network.h"
#include "openworld/osr/osr_job.h"
#include "openworld/osr/table.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Json = nlohmann::ordered_json;

std::string epoch_text(const OsrEpoch& epoch, std::int64_t epochs, double seconds_left) {
  std::string text =
      fmt::format("epoch {}/{}  loss {:.4f}  lr {:.2e}  {:.0f} images/s", epoch.epoch, epochs,
                  epoch.loss, epoch.lr, epoch.images_per_second);
  if (epoch.gemm_share > 0) {
    text += fmt::format(", {:.0f} % of the GEMM rate", 100 * epoch.gemm_share);
  }
  if (const auto& test = epoch.test) {
    text += fmt::format("  ACC {}, AUROC {}, OpenAUC {}", percent(test->base_acc),
                        percent(test->auroc), percent(test->open_auc));
  }
  return text + fmt::format("  {} left", duration(seconds_left));
}

void print_method(const OsrMethodRow& row) {
  print_out("{} ({}): {}\n{}\n\nOptions, set by --set key=value:\n", row.title, row.name,
            row.description, row.citation);
  const std::unique_ptr<OsrOptions> options = row.options();
  OptionList list;
  options->declare(list);
  for (const OptionRow& option : list.rows()) {
    print_out("  {:<20} {} [{}]\n{:23}{}\n", option.name, option.help, option_text(option.value()),
              "", option.expected);
  }
  print_out("\nopenworld osr train --method {} --split cifar10:0 --net small --out RUN\n",
            row.name);
}

std::string interval_text(const MetricResult& result) {
  if (!result.interval) return "";
  return fmt::format("{} - {}", percent(result.interval->low), percent(result.interval->high));
}

}  // namespace

void run_osr_train(const OsrTrainCommand& command) {
  // From the first step on, when there is something to save; before, signals end the program.
  std::optional<StopSignals> signals;
  std::optional<Progress> line;
  OsrObserver observer;
  if (!command.json) observer.note = say;
  observer.step = [&](const OsrProgress& now) {
    if (!signals) signals.emplace();
    if (!line) {
      line.emplace(fmt::format("epoch {}/{}", now.epoch, now.epochs),
                   static_cast<std::size_t>(now.epoch_steps));
    }
    line->update(static_cast<std::size_t>(now.epoch_step), fmt::format("loss {:.4f}", now.loss));
    if (now.epoch_step == now.epoch_steps) line.reset();
  };
  observer.epoch = [&](const OsrEpoch& epoch, std::int64_t epochs, double seconds_left) {
    if (!command.json) say(epoch_text(epoch, epochs, seconds_left));
  };
  observer.stop = [&] { return signals && signals->asked(); };
  observer.result = [&](const RunResult& result) {
    signals.reset();
    line.reset();
    if (!command.json) print_result(result);
  };
  const std::vector<RunResult> results = train_osr(command.request, observer);
  if (!command.json) return;
  Json list = Json::array();
  for (const RunResult& result : results) list.push_back(run_result_json(result));
  print_json(command.several ? Json{{"runs", std::move(list)}} : list[0]);
}

void run_osr_eval(const OsrEvalCommand& command) {
  const RunClock clock;
  OsrObserver observer;
  if (!command.json) observer.note = say;
  const OsrEvaluation evaluation = evaluate_osr(command.request, command.options, observer);
  if (!command.json) {
    print_out("{}: {} on {}; {} known, {} unknown samples ({})\n\n", evaluation.run,
              evaluation.method, evaluation.data, evaluation.known_samples,
              evaluation.unknown_samples, evaluation.unknown);
    TextTable table(
        {"", "%", fmt::format("{:g} % interval", 100 * command.options.bootstrap.level)});
    for (const OsrMeasure& measure : evaluation.measures) {
      const MetricValue& value = measure.result.value;
      table.add({measure.name, value.defined() ? percent(value.value) : "-",
                 interval_text(measure.result)});
    }
    return print_table(table);
  }
  Json measures = Json::object();
  for (const OsrMeasure& measure : evaluation.measures) {
    Json json = metric_json(metric_record(measure.result, command.options));
    if (measure.name == "TNR") json["higher_is_better"] = true;
    measures[measure.name] = std::move(json);
  }
  Json json = {{"schema", "openworld.osr/1"},
               {"run", evaluation.run},
               {"method", evaluation.method},
               {"data", evaluation.data},
               {"unknown", evaluation.unknown},
               {"known_samples", evaluation.known_samples},
               {"unknown_samples", evaluation.unknown_samples},
               {"metrics", std::move(measures)},
               {"cost", run_cost_json(clock.cost())}};
  print_json(json);
}

void run_osr_score(const OsrScoreCommand& command) {
  const RunClock clock;
  const OsrScored scored = score_osr(command.request);
  if (command.json) {
    return print_json(Json{{"schema", "openworld.osr_score/1"},
                           {"out", scored.out},
                           {"samples", scored.samples},
                           {"known_samples", scored.known_samples},
                           {"classes", scored.classes},
                           {"cost", run_cost_json(clock.cost())}});
  }
  print_out("wrote {}: {} of {} classes, {} of them known; see `openworld eval {}`\n", scored.out,
            counted(static_cast<std::size_t>(scored.samples), "sample"), scored.classes,
            scored.known_samples, scored.out);
}

void list_osr(const OsrListCommand& command) {
  if (!command.name.empty()) {
    const OsrMethodRow& row = find_osr_method(command.name);
    return command.json ? print_json(osr_method_json(row)) : print_method(row);
  }
  if (wants_rows(command.json)) return print_rows("methods", osr_methods_json(), command.json);
  print_out("methods\n");
  for (const OsrMethodRow& row : osr_methods()) {
    print_out("  {:<12} {:<9} {}\n", row.name, row.title, row.description);
  }
  print_out("\nnetworks\n");
  for (const NetworkRow& row : networks()) print_out("  {:<12} {}\n", row.name, row.description);
  print_out("\n`openworld osr ls NAME` shows a method in full.\n");
}

}  // namespace openworld

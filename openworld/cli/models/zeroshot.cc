// openworld zeroshot, behind libtorch.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_json.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/io/run_cost.h"
#include "openworld/report/text_table.h"
#include "openworld/tuning/zero_shot_job.h"

namespace openworld {
namespace {

void print_text(const ZeroShotResult& result) {
  const std::size_t classes = result.data.classes;
  const std::size_t labelled =
      result.accuracy ? static_cast<std::size_t>(result.accuracy->images) : 0;
  const std::size_t others = result.data.images - labelled;
  print_out("{} of {} class{}{}, {}\n\n", counted(labelled, "image"), classes,
            classes == 1 ? "" : "es",
            others == 0 ? "" : fmt::format(" and {} of none", counted(others, "image")),
            counted(result.templates.size(), "template"));
  TextTable table({"", "%", fmt::format("{:g} % interval", 100 * result.level)});
  if (result.accuracy) {
    const ZeroShotAccuracy& accuracy = *result.accuracy;
    const auto add = [&](const char* name, std::int64_t right) {
      const Proportion p = wilson_proportion(right, accuracy.images, result.level);
      table.add({name, percent(p.value), fmt::format("{} - {}", percent(p.low), percent(p.high))});
    };
    add("top-1 accuracy", accuracy.top1);
    if (accuracy.top5) add("top-5 accuracy", *accuracy.top5);
    table.add({"mean per class", percent(accuracy.mean_per_class), ""});
  }
  if (result.accuracy) {
    print_table(table);
  } else {
    print_out("no image has a label; nothing to measure\n");
  }
  if (!result.out.empty()) {
    // Without a label there is nothing that eval could measure.
    print_out("\nwrote {}{}\n", result.out,
              result.accuracy ? fmt::format("; see `openworld eval {}`", result.out) : "");
  }
}

}  // namespace

void run_zeroshot(const ZeroShotCommand& command) {
  const RunClock clock;
  const ZeroShotResult result = run_zero_shot(command.request, terminal_observer());
  if (!command.json) return print_text(result);
  nlohmann::ordered_json json = zero_shot_json(result);
  json["cost"] = run_cost_json(clock.cost());
  print_json(json);
}

}  // namespace openworld

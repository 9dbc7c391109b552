#include "openworld/cli/drc_runs.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/io/column.h"
#include "openworld/runs/run_folder.h"

namespace openworld {
namespace {

constexpr auto kAccuracy = "overall_acc";

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

// Datasets may differ from run to run, the protocol may not.
bool is_same_protocol(const RunScenario& a, const RunScenario& b) {
  return a.name == b.name && a.version == b.version && a.options == b.options;
}

}  // namespace

CsvTable curves_of_runs(const std::vector<std::string>& folders) {
  std::string text = "method,world,t,acc,seed\n";
  std::optional<RunScenario> first;
  for (const std::string& path : folders) {
    const RunFolder folder(path);
    const RunSpec spec = folder.spec("drc");
    if (!spec.scenario) {
      fail("drc", fmt::format("{}: a run without a scenario; expected one with levels, of "
                              "`openworld tune --scenario`",
                              path));
    }
    if (!first) first = spec.scenario;
    if (!is_same_protocol(*first, *spec.scenario)) {
      fail("drc", fmt::format("{} and {} are runs of different scenarios or options; expected "
                              "the same",
                              folders[0], path));
    }
    for (const ViewResult& view : folder.result("drc").views) {
      const auto accuracy = std::ranges::find(view.metrics, kAccuracy, &MetricRecord::name);
      if (!view.t || accuracy == view.metrics.end() || !accuracy->value) {
        fail("drc", fmt::format("{}: level {} of the scenario {} is not a number or has no "
                                "accuracy; expected levels t",
                                path, view.level, spec.scenario->name));
      }
      text += fmt::format("{},{},{},{},{}\n", quoted(spec.table_label()), quoted(view.world),
                          view.level, *accuracy->value, spec.seed);
    }
  }
  return {make_bytes(std::move(text)), {.function = "drc", .file = folders[0]}};
}

}  // namespace openworld

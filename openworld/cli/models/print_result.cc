#include "openworld/cli/models/print_result.h"

#include <fmt/format.h>

#include "openworld/cli/models/terminal.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/print_table.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// A row for each level: metrics as in `openworld eval RUN`.
TextTable views_table(const std::vector<ViewResult>& views) {
  std::vector<std::string> header = {"  world", "level"};
  for (const MetricRecord& metric : views[0].metrics) header.push_back(metric.name);
  TextTable table(header);
  for (const ViewResult& view : views) {
    std::vector<std::string> cells = {"  " + view.world, view.level};
    for (const MetricRecord& metric : view.metrics) {
      cells.push_back(metric.value ? percent(*metric.value) : "-");
    }
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

void print_result(const RunResult& result) {
  std::string text =
      fmt::format("{}: {} on {}, seed {}", result.out, result.title, result.data, result.seed);
  if (result.steps > 0) {
    text += fmt::format("; {}, {}, {:.1f} s, loss {:.4f}",
                        counted(static_cast<std::size_t>(result.parameters), "parameter"),
                        counted(static_cast<std::size_t>(result.steps), "step"),
                        result.cost.train_seconds.value_or(0), result.loss.value_or(0));
  }
  text += "\n";
  print_plain(text);
  if (!result.views.empty()) return print_table(views_table(result.views));
  for (const MetricRecord& metric : result.metrics) {
    print_out("  {} {}", metric.name, metric.value ? percent(*metric.value) : "-");
  }
  print_out("\n");
}

}  // namespace openworld

#include "openworld/report/runs_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/report/run_texts.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

std::string title_of(const MetricRequest& request) {
  return metric_title(request.row->info, request.params);
}

// Labels as rows, metrics as columns.
TextTable values_table(const RunCollection& runs, const MeasuredRuns& measured,
                       const std::string& corner, std::optional<std::size_t> dataset) {
  const auto& requests = measured.comparison.requests;
  std::vector<std::string> header = {corner};
  for (const MetricRequest& request : requests) header.push_back(title_of(request));
  TextTable table(header);
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    std::vector<TextCell> cells = {runs.labels[m]};
    for (std::size_t k = 0; k < requests.size(); ++k) {
      const RunMean& mean = mean_of(measured.comparison.values[m][k], dataset);
      cells.push_back(value_cell(run_value_text(requests[k], mean),
                                 run_reach_text(requests[k], mean.interval),
                                 measured.is_best(m, k, dataset)));
    }
    table.add(std::move(cells));
  }
  return table;
}

TextTable differences_table(const RunCollection& runs, const MeasuredRuns& measured,
                            std::size_t label) {
  const RunComparison& comparison = measured.comparison;
  const double level = measured.options.bootstrap.level * 100;
  const bool many = runs.datasets.size() >= 3;
  std::vector<std::string> header = {
      fmt::format("{} against {}", runs.labels[label], runs.labels[comparison.reference]),
      "difference", fmt::format("{:g} % interval", level), "p (Holm)"};
  if (many) header.insert(header.end(), {"over datasets", "p (t)"});
  TextTable table(header);
  for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
    const MetricRequest& request = comparison.requests[k];
    const RunMetric& metric = comparison.differences[label][k];
    const auto& p = measured.adjusted[label][k];
    std::vector<TextCell> cells = {
        title_of(request),
        metric.mean.defined() ? run_difference_text(request, metric.mean.value) : "-",
        run_interval_text(request, metric.mean.interval),
        p ? starred_cell(p_text(*p), measured.significant(label, k)) : TextCell("")};
    if (many) {
      cells.push_back(run_interval_text(request, metric.over_datasets));
      cells.push_back(metric.p_over_datasets ? p_text(*metric.p_over_datasets) : "");
    }
    table.add(std::move(cells));
  }
  return table;
}

// Why cells are empty, each reason once.
std::string notes_text(const RunComparison& comparison) {
  std::vector<std::string> notes;
  const auto add = [&](const MetricRequest& request, const std::string& why) {
    if (why.empty()) return;
    std::string note = fmt::format("- {}: {}\n", title_of(request), why);
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  };
  for (const auto* table : {&comparison.values, &comparison.differences}) {
    for (const auto& of_label : *table) {
      for (std::size_t k = 0; k < of_label.size(); ++k) {
        add(comparison.requests[k], of_label[k].mean.why);
        add(comparison.requests[k], of_label[k].mean.no_interval);
      }
    }
  }
  std::string text;
  for (const std::string& note : notes) text += note;
  return text;
}

bool one_seed(const RunComparison& comparison) {
  return std::ranges::any_of(comparison.seeds, [](const auto& seeds) { return seeds.size() == 1; });
}

}  // namespace

TextDocument runs_document(const RunCollection& runs, const MeasuredRuns& measured) {
  const RunComparison& comparison = measured.comparison;
  const bool many = runs.datasets.size() > 1;
  TextDocument document;
  document.say(fmt::format("{}\n\n", describe_runs(runs, comparison)));
  document.add(
      values_table(runs, measured, many ? "mean over datasets" : runs.datasets[0], std::nullopt));
  for (std::size_t d = 0; d < runs.datasets.size() && many; ++d) {
    document.say("\n");
    document.add(values_table(runs, measured, runs.datasets[d], d));
  }
  const bool with_intervals = measured.options.ci != Ci::kNone;
  document.say(fmt::format(
      "\n* best of the column{}\n",
      with_intervals ? fmt::format("; ± half the width of the {:g} % interval over test samples{}",
                                   measured.options.bootstrap.level * 100,
                                   one_seed(comparison) ? "" : " and seeds")
                     : ""));
  if (with_intervals && one_seed(comparison)) {
    document.say("- one seed: the intervals do not cover other seeds\n");
  }
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    if (m == comparison.reference) continue;
    document.say("\n");
    document.add(differences_table(runs, measured, m));
  }
  if (runs.labels.size() > 1 && with_intervals) {
    document.say(
        fmt::format("\n* significant at {:g} % after Holm's correction over {} comparison{}\n",
                    (1 - measured.options.bootstrap.level) * 100, runs.labels.size() - 1,
                    runs.labels.size() == 2 ? "" : "s"));
  }
  document.say(notes_text(comparison));
  for (const std::string& note : runs_notes(runs, measured)) {
    document.say(fmt::format("- {}\n", note));
  }
  return document;
}

std::string runs_text(const RunCollection& runs, const MeasuredRuns& measured) {
  return runs_document(runs, measured).text();
}

TextDocument stage_costs_document(const RunCollection& runs, const std::vector<StageCosts>& costs) {
  TextTable table({"costs of the stages", "OpenworldAUC", "base classes (g)", "new classes (h)",
                   "ranking (r)"});
  for (std::size_t m = 0; m < costs.size(); ++m) {
    const StageCosts& c = costs[m];
    std::vector<std::string> cells = {runs.labels[m]};
    const bool defined = c.why.empty();
    cells.push_back(defined ? percent(c.openworld_auc) : "-");
    for (const double cost : c.cost) cells.push_back(defined ? percent(cost) : "-");
    table.add(std::move(cells));
  }
  TextDocument document;
  document.say("\n");
  document.add(std::move(table));
  for (std::size_t m = 0; m < costs.size(); ++m) {
    if (costs[m].why.empty()) continue;
    document.say(fmt::format("- {}: no diagnosis: {}\n", runs.labels[m], costs[m].why));
  }
  return document;
}

}  // namespace openworld

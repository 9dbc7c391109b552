#include <fmt/format.h>

#include "openworld/report/finding.h"
#include "openworld/report/forest_plot.h"
#include "openworld/report/run_sections.h"
#include "openworld/report/run_texts.h"
#include "openworld/report/svg_axes.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

using Cell = HtmlTable::Cell;
using Mark = HtmlTable::Mark;

std::string column_title(const MetricRequest& request) {
  return metric_title(request.row->info, request.params) +
         (request.row->info.higher_is_better ? "" : " (lower is better)");
}

// An arrow where a label differs significantly from the reference.
Mark mark_of(const MeasuredRuns& measured, std::size_t label, std::size_t metric) {
  const RunComparison& comparison = measured.comparison;
  if (label == comparison.reference || !measured.significant(label, metric)) return Mark::kNone;
  const double difference = comparison.differences[label][metric].mean.value;
  const bool up =
      comparison.requests[metric].row->info.higher_is_better ? difference > 0 : difference < 0;
  return up ? Mark::kBetter : Mark::kWorse;
}

std::string interval_hint(const MetricRequest& request, const RunMean& mean) {
  if (!mean.interval) return mean.defined() ? mean.no_interval : mean.why;
  const double scale = request.row->info.is_count ? 1 : 100;
  return fmt::format("{:g} % interval {:.2f} to {:.2f}", mean.interval->level * 100,
                     mean.interval->low * scale, mean.interval->high * scale);
}

HtmlTable values_table(HtmlPage& page, const ReportContext& context,
                       std::optional<std::size_t> dataset) {
  const RunComparison& comparison = context.measured.comparison;
  std::vector<std::string> header = {"method"};
  for (const MetricRequest& request : comparison.requests) header.push_back(column_title(request));
  HtmlTable table(header);
  for (std::size_t m = 0; m < context.runs.labels.size(); ++m) {
    std::vector<Cell> cells = {{.text = context.runs.labels[m]}};
    for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
      const MetricRequest& request = comparison.requests[k];
      const RunMean& mean = mean_of(comparison.values[m][k], dataset);
      // Tests are of the means over datasets.
      cells.push_back(
          {.text = run_value_text(request, mean) + run_reach_text(request, mean.interval),
           .mark = dataset ? Mark::kNone : mark_of(context.measured, m, k),
           .best = context.measured.is_best(m, k, dataset),
           .hint = interval_hint(request, mean)});
    }
    table.add(std::move(cells), page.method(context.runs.labels[m]), HtmlTable::Kind::kMethod);
  }
  return table;
}

HtmlTable differences_table(const ReportContext& context, std::size_t label) {
  const MeasuredRuns& measured = context.measured;
  const RunComparison& comparison = measured.comparison;
  const bool many = context.runs.datasets.size() >= 3;
  std::vector<std::string> header = {
      context.runs.labels[label] + " against " + context.runs.labels[comparison.reference],
      "difference", fmt::format("{:g} % interval", measured.options.bootstrap.level * 100),
      "p (Holm)"};
  if (many) header.insert(header.end(), {"interval over datasets", "p (t)"});
  HtmlTable table(header);
  for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
    const MetricRequest& request = comparison.requests[k];
    const RunMetric& metric = comparison.differences[label][k];
    const auto& p = measured.adjusted[label][k];
    std::vector<Cell> cells = {
        {.text = column_title(request)},
        {.text = metric.mean.defined() ? run_difference_text(request, metric.mean.value) : "-",
         .mark = mark_of(measured, label, k),
         .hint = metric.mean.why},
        {.text = run_interval_text(request, metric.mean.interval), .hint = metric.mean.no_interval},
        {.text = p ? p_text(*p) : "", .best = measured.significant(label, k)}};
    if (many) {
      cells.push_back({.text = run_interval_text(request, metric.over_datasets)});
      cells.push_back({.text = metric.p_over_datasets ? p_text(*metric.p_over_datasets) : ""});
    }
    table.add(std::move(cells));
  }
  return table;
}

// The metric that the first sentence is about, and whose differences are shown by dataset.
std::size_t main_metric(const RunComparison& comparison) {
  for (std::size_t k = 0; k < comparison.requests.size(); ++k) {
    if (comparison.requests[k].row->info.name == "openworld_auc") return k;
  }
  return 0;
}

// Differences of all methods in a metric; with `by_dataset` each dataset below its mean.
Forest forest_of(HtmlPage& page, const ReportContext& context, std::size_t k, bool by_dataset) {
  const RunCollection& runs = context.runs;
  const RunComparison& comparison = context.measured.comparison;
  const MetricInfo& info = comparison.requests[k].row->info;
  Forest forest{
      .title = fmt::format("Differences in {} from {}", column_title(comparison.requests[k]),
                           runs.labels[comparison.reference]),
      .x_title = info.is_count ? "difference" : "difference in points",
      .scale = info.is_count ? 1.0 : 100.0,
      .rows = {}};
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    if (m == comparison.reference) continue;
    const RunMetric& metric = comparison.differences[m][k];
    if (!metric.mean.defined()) continue;
    const int method = static_cast<int>(page.method(runs.labels[m]));
    forest.rows.push_back({.name = runs.labels[m],
                           .method = method,
                           .difference = metric.mean.value,
                           .interval = metric.mean.interval,
                           .significant = context.measured.significant(m, k)});
    for (std::size_t d = 0; by_dataset && d < runs.datasets.size(); ++d) {
      const RunMean& mean = metric.by_dataset[d];
      if (!mean.defined()) continue;
      forest.rows.push_back({.name = runs.datasets[d],
                             .method = method,
                             .difference = mean.value,
                             .interval = mean.interval,
                             .part = true});
    }
  }
  return forest;
}

void add_forests(HtmlPage& page, const ReportContext& context) {
  constexpr std::size_t kMostRows = 60;
  const RunComparison& comparison = context.measured.comparison;
  const std::size_t main = main_metric(comparison);
  const std::size_t sets = context.runs.datasets.size();
  const bool by_dataset = sets > 1 && context.runs.labels.size() * (sets + 1) <= kMostRows;
  page.begin_figures();
  for (std::size_t i = 0; i < comparison.requests.size(); ++i) {
    // The main metric first.
    const std::size_t k = i == 0 ? main : i <= main ? i - 1 : i;
    const Forest forest = forest_of(page, context, k, by_dataset && k == main);
    if (!forest.rows.empty()) page.figure(column_title(comparison.requests[k]), svg(forest));
  }
  page.end_figures();
}

}  // namespace

std::string runs_finding(const ReportContext& context) {
  const RunCollection& runs = context.runs;
  const RunComparison& comparison = context.measured.comparison;
  const std::size_t k = main_metric(comparison);
  const MetricInfo& info = comparison.requests[k].row->info;
  FindingInput input{.metric = metric_title(info, comparison.requests[k].params),
                     .higher_is_better = info.higher_is_better,
                     .scale = info.is_count ? 1.0 : 100.0,
                     .where = runs.datasets.size() > 1
                                  ? fmt::format("on average over {} datasets", runs.datasets.size())
                                  : "on " + runs.datasets[0],
                     .level = context.measured.options.bootstrap.level,
                     .entries = {}};
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    const RunMean& mean = comparison.values[m][k].mean;
    if (!mean.defined()) return "";
    FindingEntry& entry = input.entries.emplace_back(
        FindingEntry{.name = runs.labels[m], .value = mean.value, .interval = mean.interval});
    if (m == comparison.reference) continue;
    const RunMetric& difference = comparison.differences[m][k];
    entry.difference = difference.mean.value;
    entry.difference_interval = difference.mean.interval;
    entry.p = context.measured.adjusted[m][k];
    entry.over_datasets = difference.over_datasets;
  }
  input.reference = comparison.reference;
  input.too_few_resamples = has_too_few_resamples(context.measured);
  return finding_text(input);
}

void add_results(HtmlPage& page, const ReportContext& context) {
  const RunCollection& runs = context.runs;
  const RunComparison& comparison = context.measured.comparison;
  const bool tested = context.measured.options.ci != Ci::kNone && runs.labels.size() > 1;
  page.section("Results");
  page.paragraph(runs.datasets.size() > 1
                     ? "Means over datasets of means over seeds, in percent."
                     : fmt::format("Means over seeds on {}, in percent.", runs.datasets[0]));
  page.table(values_table(page, context, std::nullopt));
  std::string note = "Bold: best of the column.";
  if (context.measured.options.ci != Ci::kNone) {
    note += fmt::format(" ±: half the width of the {:g} % interval.",
                        context.measured.options.bootstrap.level * 100);
  }
  if (tested) {
    note += fmt::format(
        " Arrows: significantly better or worse than {} at {:g} %, after Holm's correction.",
        runs.labels[comparison.reference], (1 - context.measured.options.bootstrap.level) * 100);
  }
  page.note(note);
  for (const std::string& each : runs_notes(runs, context.measured)) page.note(each + ".");
  for (std::size_t d = 0; d < runs.datasets.size() && runs.datasets.size() > 1; ++d) {
    page.folded_table(runs.datasets[d], values_table(page, context, d));
  }
  if (runs.labels.size() < 2) return;
  page.section("Differences");
  page.paragraph(
      fmt::format("Paired differences from {}, in points.", runs.labels[comparison.reference]));
  add_forests(page, context);
  page.note(
      "Dots are differences, bars their intervals. A filled dot is significant after Holm's "
      "correction. Small rows are single datasets, which are not tested.");
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    if (m == comparison.reference) continue;
    page.folded_table(
        fmt::format("{} against {}, in numbers", runs.labels[m], runs.labels[comparison.reference]),
        differences_table(context, m));
  }
}

}  // namespace openworld

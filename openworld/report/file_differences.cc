#include "openworld/report/file_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "openworld/analysis/same_samples.h"
#include "openworld/base/error.h"
#include "openworld/report/forest_plot.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

bool is_significant(const std::optional<double>& p, const EvalOptions& options) {
  return p && *p < 1 - options.bootstrap.level;
}

HtmlTable file_differences_table(std::span<const ReportFile* const> files,
                                 const FileDifferences& found, std::size_t i,
                                 const EvalOptions& options) {
  HtmlTable table({files[i + 1]->label + " against " + files[0]->label, "difference",
                   fmt::format("{:g} % interval", options.bootstrap.level * 100), "p (Holm)",
                   "test"});
  for (std::size_t k = 0; k < found.requests.size(); ++k) {
    const ComparedMetric& metric = found.metrics[i][k];
    const bool defined = metric.a.defined() && metric.b.defined();
    const auto signed_text = [](double value) { return fmt::format("{:+.2f}", 100 * value); };
    table.add({{.text = std::string(metric.request.row->info.title)},
               {.text = defined ? signed_text(metric.difference) : "-", .hint = metric.why},
               {.text = metric.interval ? fmt::format("[{}, {}]", signed_text(metric.interval->low),
                                                      signed_text(metric.interval->high))
                                        : ""},
               {.text = found.p[i][k] ? p_text(*found.p[i][k]) : "",
                .best = is_significant(found.p[i][k], options)},
               {.text = std::string(metric.test)}});
  }
  return table;
}

}  // namespace

bool are_same_samples(std::span<const ReportFile* const> files) {
  const Outcomes first = files[0]->predictions.outcomes();
  try {
    for (const ReportFile* file : files.subspan(1)) {
      check_same_samples("report", first, file->predictions.outcomes(), files[0]->label,
                         file->label);
    }
  } catch (const Error&) {
    return false;
  }
  return true;
}

std::optional<FileDifferences> compare_files(std::span<const ReportFile* const> files,
                                             std::span<const MetricRequest> requests,
                                             const EvalOptions& options) {
  FileDifferences found;
  for (const MetricRequest& request : requests) {
    constexpr std::string_view kClosed[] = {"openworld_auc", "open_auc", "auroc", "base_acc",
                                            "new_acc"};
    if (std::ranges::find(kClosed, request.row->info.name) != std::end(kClosed)) {
      found.requests.push_back(request);
    }
  }
  if (found.requests.empty() || !are_same_samples(files)) return std::nullopt;
  const Outcomes first = files[0]->predictions.outcomes();
  for (const ReportFile* file : files.subspan(1)) {
    found.metrics.push_back(compare(first, file->predictions.outcomes(), found.requests, options));
  }
  found.p.assign(found.metrics.size(), std::vector<std::optional<double>>(found.requests.size()));
  for (std::size_t k = 0; k < found.requests.size(); ++k) {
    std::vector<double> values;
    for (const auto& row : found.metrics) {
      if (row[k].p_value) values.push_back(*row[k].p_value);
    }
    const std::vector<double> adjusted = holm_adjust(values);
    std::size_t next = 0;
    for (std::size_t i = 0; i < found.metrics.size(); ++i) {
      if (found.metrics[i][k].p_value) found.p[i][k] = adjusted[next++];
    }
  }
  return found;
}

void add_file_differences(HtmlPage& page, std::span<const ReportFile* const> files,
                          const FileDifferences& found, const EvalOptions& options) {
  page.heading("Differences from " + files[0]->label);
  page.begin_figures();
  for (std::size_t k = 0; k < found.requests.size(); ++k) {
    const std::string title(found.requests[k].row->info.title);
    Forest forest{.title = fmt::format("Differences in {} from {}", title, files[0]->label),
                  .x_title = "difference in points",
                  .rows = {}};
    for (std::size_t i = 0; i < found.metrics.size(); ++i) {
      const ComparedMetric& metric = found.metrics[i][k];
      if (!metric.a.defined() || !metric.b.defined()) continue;
      forest.rows.push_back({.name = files[i + 1]->label,
                             .method = static_cast<int>(page.method(files[i + 1]->label)),
                             .difference = metric.difference,
                             .interval = metric.interval,
                             .significant = is_significant(found.p[i][k], options)});
    }
    if (!forest.rows.empty()) page.figure(title, svg(forest));
  }
  page.end_figures();
  for (std::size_t i = 0; i < found.metrics.size(); ++i) {
    page.folded_table(fmt::format("{} against {}", files[i + 1]->label, files[0]->label),
                      file_differences_table(files, found, i, options));
  }
}

}  // namespace openworld

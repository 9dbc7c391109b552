#include "openworld/report/open_set_tables.h"

#include <fmt/format.h>

namespace openworld {
namespace {

using Cell = HtmlTable::Cell;

std::string value_text(const MetricValue& value) {
  return value.defined() ? percent(value.value) : "-";
}

// `first`, then a column for each metric.
std::vector<std::string> with_metrics(std::vector<std::string> first) {
  for (const OpenSetMetricRow& row : open_set_metric_table()) first.emplace_back(row.title);
  return first;
}

Cell seeds_cell(const std::optional<SeedSummary>& summary) {
  if (!summary || summary->seeds == 0) return {.text = "-"};
  if (!summary->sd) return {.text = percent(summary->mean)};
  Cell cell{.text = fmt::format("{} \u00b1 {}", percent(summary->mean), percent(*summary->sd))};
  if (summary->interval) {
    cell.hint = fmt::format("{} to {} ({:g} %, t over {} seeds)", percent(summary->interval->low),
                            percent(summary->interval->high), summary->level * 100, summary->seeds);
  }
  return cell;
}

}  // namespace

TextTable OpenSetTable::text() const {
  TextTable table(header);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(cell.text);
    table.add(std::move(cells));
  }
  return table;
}

HtmlTable OpenSetTable::html() const {
  HtmlTable table(header);
  for (const auto& row : rows) table.add(row);
  return table;
}

Cell metric_cell(const MeasuredValue& metric) {
  if (!metric.value.defined()) return {.text = "-", .hint = metric.value.why};
  if (!metric.interval) return {.text = percent(metric.value.value), .hint = metric.no_interval};
  const Interval& interval = *metric.interval;
  return {.text = fmt::format("{} [{}, {}]", percent(metric.value.value), percent(interval.low),
                              percent(interval.high)),
          .hint = fmt::format("{:g} % interval, {}", interval.level * 100, interval.method)};
}

OpenSetTable measures_table(std::string heading, const std::vector<MeasureResult>& results) {
  OpenSetTable table{with_metrics({std::move(heading)}), {}};
  for (const MeasureResult& result : results) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({.text = std::string(result.measure->title)});
    for (const MeasuredValue& metric : result.metrics) cells.push_back(metric_cell(metric));
  }
  return table;
}

OpenSetTable further_queries_table(const OpenSetReport& report, std::size_t measure) {
  const char* what = report.role == ExtraRole::kNegative ? "negatives" : "more classes";
  OpenSetTable table{
      with_metrics({fmt::format("{}, {}", what, report.all.open_set[measure].measure->title), "TP",
                    "OSE", "accuracy"}),
      {}};
  for (const TestSummary& test : report.by_extra) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({.text = std::to_string(test.extra)});
    cells.push_back({.text = std::to_string(test.counts.tp)});
    cells.push_back({.text = std::to_string(test.counts.ose)});
    cells.push_back({.text = percent(test.counts.accuracy->value)});
    for (const MeasuredValue& metric : test.open_set[measure].metrics) {
      cells.push_back(metric_cell(metric));
    }
  }
  return table;
}

OpenSetTable growth_table(const OpenSetReport& report, std::size_t measure) {
  OpenSetTable table{
      with_metrics(
          {fmt::format("classes, {}", report.all.open_set[measure].measure->title), "accuracy"}),
      {}};
  for (const GrowthPoint& point : report.growth) {
    auto& cells = table.rows.emplace_back();
    cells.push_back({.text = std::to_string(point.size)});
    cells.push_back(seeds_cell(point.accuracy));
    for (const auto& summary : point.metrics[measure]) cells.push_back(seeds_cell(summary));
  }
  return table;
}

OpenSetTable pairs_table(const OpenSetReport& report) {
  OpenSetTable table{
      {"paired", "metric", "first", "second", "difference", "interval", "p (Holm)", "test"}, {}};
  for (const PairedResult& pair : report.pairs) {
    for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
      const PairedDifference& d = pair.metrics[k];
      const bool both = d.a.defined() && d.b.defined();
      table.rows.push_back(
          {{.text = k == 0 ? fmt::format("{} against {}", pair.second, pair.first) : ""},
           {.text = open_set_metric_table()[k].title},
           {.text = value_text(d.a), .hint = d.a.why},
           {.text = value_text(d.b), .hint = d.b.why},
           {.text = both ? fmt::format("{:+.2f}", d.difference * 100) : "-", .hint = d.why},
           {.text = d.interval ? fmt::format("[{:+.2f}, {:+.2f}]", d.interval->low * 100,
                                             d.interval->high * 100)
                               : ""},
           {.text = pair.p_holm[k] ? p_text(*pair.p_holm[k]) : ""},
           {.text = d.test}});
    }
  }
  return table;
}

std::string further_queries_text(const OpenSetReport& report) {
  return report.role == ExtraRole::kNegative ? "negative queries" : "more classes";
}

std::string further_query_name(std::size_t query, std::span<const std::string> names) {
  return query < names.size() ? names[query] : fmt::format("query {}", query);
}

}  // namespace openworld

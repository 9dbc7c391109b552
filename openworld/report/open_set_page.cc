#include "openworld/report/open_set_page.h"

#include <fmt/format.h>

namespace openworld {
namespace {

HtmlTable::Cell cell(const MeasuredValue& metric) {
  if (!metric.value.defined()) {
    return {.text = "-", .mark = HtmlTable::Mark::kNone, .best = false, .hint = metric.value.why};
  }
  std::string hint;
  if (metric.interval) {
    hint = fmt::format("{:.2f} to {:.2f} ({:g} %, {})", metric.interval->low * 100,
                       metric.interval->high * 100, metric.interval->level * 100,
                       metric.interval->method);
  }
  return {.text = fmt::format("{:.2f}", metric.value.value * 100),
          .mark = HtmlTable::Mark::kNone,
          .best = false,
          .hint = std::move(hint)};
}

HtmlTable measure_table(const std::vector<MeasureResult>& results) {
  std::vector<std::string> header = {"uncertainty"};
  for (const OpenSetMetricRow& row : open_set_metric_table()) header.emplace_back(row.title);
  HtmlTable table(header);
  for (const MeasureResult& result : results) {
    std::vector<HtmlTable::Cell> cells = {{.text = std::string(result.measure->title)}};
    for (const MeasuredValue& metric : result.metrics) cells.push_back(cell(metric));
    table.add(std::move(cells));
  }
  return table;
}

HtmlTable extra_table(const OpenSetReport& report) {
  std::vector<std::string> header = {"further queries", "TP", "OSE", "accuracy"};
  for (const MeasureResult& result : report.all.open_set) {
    header.push_back(fmt::format("AuPR, {}", result.measure->title));
  }
  HtmlTable table(header);
  for (const TestSummary& test : report.by_extra) {
    std::vector<HtmlTable::Cell> cells = {
        {.text = std::to_string(test.extra)},
        {.text = std::to_string(test.counts.tp)},
        {.text = std::to_string(test.counts.ose)},
        {.text = fmt::format("{:.2f}", test.counts.accuracy->value * 100)}};
    for (const MeasureResult& result : test.open_set) cells.push_back(cell(result.metrics[1]));
    table.add(std::move(cells));
  }
  return table;
}

}  // namespace

void add_open_set(HtmlPage& page, const OpenSetReport& report,
                  const std::vector<OpenSetFigure>& figures) {
  const OpenSetCounts& counts = report.all.counts;
  page.section("Open set");
  page.paragraph(fmt::format(
      "{} images over {} classes{}. Each image is classified twice: with all names, and with its "
      "own name taken off the list. {} true positives ({:.2f} % accuracy), {} open-set errors.",
      counts.images, report.all.classes,
      report.all.extra > 0
          ? fmt::format(" and {} {}", report.all.extra,
                        report.role == ExtraRole::kNegative ? "negative queries" : "more names")
          : "",
      counts.tp, counts.accuracy->value * 100, counts.ose));
  page.table(measure_table(report.all.open_set));
  page.note("True positives against open-set errors. Point at a number for its interval.");
  page.table(measure_table(report.closed_set));
  page.note(fmt::format("True positives against the {} closed-set errors.", counts.wrong));
  if (!report.by_extra.empty()) page.table(extra_table(report));
  page.begin_figures();
  for (const OpenSetFigure& figure : figures) page.figure(figure.caption, figure.svg);
  page.end_figures();
}

}  // namespace openworld

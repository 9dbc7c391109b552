#include "openworld/report/open_set_section.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/report/open_set_tables.h"

namespace openworld {
namespace {

// The AuPR of every measure over the numbers of further queries.
HtmlTable aupr_table(const OpenSetReport& report) {
  std::vector<std::string> header = {"further queries"};
  for (const MeasureResult& result : report.all.open_set) {
    header.emplace_back(result.measure->title);
  }
  HtmlTable table(header);
  for (const TestSummary& test : report.by_extra) {
    std::vector<HtmlTable::Cell> cells = {{.text = std::to_string(test.extra)}};
    for (const MeasureResult& result : test.open_set) {
      cells.push_back(metric_cell(result.metrics[kAuprAt]));
    }
    table.add(std::move(cells));
  }
  return table;
}

bool has_intervals(const OpenSetReport& report) {
  return std::ranges::any_of(report.all.open_set, [](const MeasureResult& result) {
    return std::ranges::any_of(result.metrics,
                               [](const auto& m) { return m.interval.has_value(); });
  });
}

}  // namespace

void add_open_set_figures(HtmlPage& page, const std::vector<OpenSetFigure>& figures) {
  page.begin_figures();
  for (const OpenSetFigure& figure : figures) {
    std::vector<HtmlPage::Key> keys;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      keys.push_back({figure.series[i], i});
    }
    page.figure(figure.caption, figure.svg, keys);
  }
  page.end_figures();
}

void add_open_set_result(HtmlPage& page, const OpenSetReport& report, std::size_t measure,
                         const std::vector<OpenSetFigure>& figures) {
  const OutcomeCounts& counts = report.all.counts;
  page.paragraph(fmt::format(
      "{} images over {} classes{}. Each image is classified twice: with all names, and with its "
      "own name taken off the list. {} true positives ({:.2f} % accuracy, {:.2f} to {:.2f}), {} "
      "open-set errors.",
      counts.images, report.all.classes,
      report.all.extra > 0
          ? fmt::format(" and {} {}", report.all.extra, further_queries_text(report))
          : "",
      counts.tp, counts.accuracy->value * 100, counts.accuracy->low * 100,
      counts.accuracy->high * 100, counts.ose));
  page.table(measures_table("against open-set errors", report.all.open_set).html());
  page.note(fmt::format(
      "True positives against open-set errors, in percent{}. Point at a number for more about it.",
      has_intervals(report) ? fmt::format(", with {:g} % intervals over images", report.level * 100)
                            : ""));
  page.table(measures_table("against closed-set errors", report.closed_set).html());
  page.note(fmt::format("True positives against the {} closed-set errors.", counts.wrong));
  if (!report.by_extra.empty()) {
    page.table(further_queries_table(report, measure).html());
    page.note("The first so many further queries, none to all of them.");
    page.folded_table("AuPR of every uncertainty over the number of further queries",
                      aupr_table(report));
  }
  if (!report.growth.empty()) {
    page.table(growth_table(report, measure).html());
    page.note(fmt::format("Random query sets by size: mean \u00b1 deviation over {} seeds.",
                          report.growth[0].by_seed.size()));
  }
  if (!report.pairs.empty()) {
    page.table(pairs_table(report).html());
    page.note("Differences on the same images, second less first, in points.");
  }
  add_open_set_figures(page, figures);
}

}  // namespace openworld

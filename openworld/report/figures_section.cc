#include <fmt/format.h>

#include <algorithm>

#include "openworld/analysis/mean_curve.h"
#include "openworld/report/curve_line.h"
#include "openworld/report/run_sections.h"
#include "openworld/report/run_texts.h"
#include "openworld/report/scatter_plot.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// In kFigureMetrics.
constexpr std::size_t kHm = 0, kAuroc = 1, kOpenworldAuc = 2;

void add_legend(HtmlPage& page, const RunCollection& runs) {
  std::vector<HtmlPage::Key> keys;
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    keys.push_back({runs.labels[m], page.method(runs.labels[m])});
  }
  page.legend(keys);
}

// The curve of a label on a dataset, averaged over seeds; empty where one is undefined.
PlotLine mean_line(const ReportContext& context, std::size_t label, std::size_t dataset) {
  std::vector<Curve> curves;
  for (const std::uint64_t seed : context.figures.seeds[dataset]) {
    const CollectedRun& run = context.runs.find(label, dataset, seed);
    const RankedScores ranked(run.predictions.outcomes());
    curves.push_back(make_curve(Ranking(ranked), CurveKind::kMissHit));
    if (!curves.back().area.defined()) return {};
  }
  const RunMean& area = context.figures.values[label][kOpenworldAuc].by_dataset[dataset];
  return curve_line(
      fmt::format("{}: OpenworldAUC {}", context.runs.labels[label], percent(area.value)),
      mean_curve(curves));
}

}  // namespace

void add_curves(HtmlPage& page, const ReportContext& context) {
  const CurveRow& row = find_curve("miss-hit");
  page.section("What a threshold trades");
  page.paragraph(
      "HitRate over MissRate for every threshold: the share of new samples that are passed on and "
      "classified right, over the share of base samples that are turned away or classified wrong. "
      "The area below is OpenworldAUC. Each line is the mean over seeds of the heights at each "
      "MissRate (vertical averaging).");
  add_legend(page, context.runs);
  page.begin_figures();
  std::vector<std::vector<PlotLine>> lines(context.runs.datasets.size());
  double first = 1, highest = 0;
  for (std::size_t d = 0; d < lines.size(); ++d) {
    for (std::size_t m = 0; m < context.runs.labels.size(); ++m) {
      PlotLine& line = lines[d].emplace_back(mean_line(context, m, d));
      line.method = static_cast<int>(page.method(context.runs.labels[m]));
      for (const double x : line.x) first = std::min(first, x);
      for (const double y : line.y) highest = std::max(highest, y);
    }
  }
  // The same for all datasets, as far as there is something to see.
  AxisRange x = round_range(std::min(first, 0.9), 1), y = round_range(0, highest);
  x.percent = y.percent = true;
  for (std::size_t d = 0; d < lines.size(); ++d) {
    Plot plot{.title = fmt::format("HitRate over MissRate on {}", context.runs.datasets[d]),
              .x_title = std::string(row.x_title),
              .y_title = std::string(row.y_title),
              .lines = std::move(lines[d]),
              .x = x,
              .y = y,
              .look = SvgLook::kPage};
    std::vector<std::string> areas;
    for (std::size_t m = 0; m < context.runs.labels.size(); ++m) {
      areas.push_back(
          fmt::format("{} {}", context.runs.labels[m],
                      run_value_text(context.figures.requests[kOpenworldAuc],
                                     context.figures.values[m][kOpenworldAuc].by_dataset[d])));
    }
    page.figure(
        fmt::format("{}. OpenworldAUC: {}", context.runs.datasets[d], fmt::join(areas, ", ")),
        svg(plot));
  }
  page.end_figures();
}

void add_trade_off(HtmlPage& page, const ReportContext& context) {
  const RunCollection& runs = context.runs;
  Scatter scatter{.frame = {.title = "HM over AUROC, a point for each method and dataset",
                            .x_title = "AUROC: separating base from new",
                            .y_title = "HM: classifying both",
                            .x = {.percent = true},
                            .y = {.percent = true},
                            .look = SvgLook::kPage},
                  .series = {}};
  const auto point = [](const std::string& name, const RunMean& x, const RunMean& y) {
    return ScatterPoint{
        fmt::format("{}: AUROC {}, HM {}", name, percent(x.value), percent(y.value)), x.value,
        y.value};
  };
  for (std::size_t m = 0; m < runs.labels.size(); ++m) {
    const RunMetric &hm = context.figures.values[m][kHm],
                    &auroc = context.figures.values[m][kAuroc];
    if (!hm.mean.defined() || !auroc.mean.defined()) {
      page.section("Classification against detection");
      page.paragraph(
          fmt::format("No figure: {}.", hm.mean.defined() ? auroc.mean.why : hm.mean.why));
      return;
    }
    ScatterSeries series{.points = {},
                         .mean = point(runs.labels[m] + ", mean", auroc.mean, hm.mean),
                         .method = static_cast<int>(page.method(runs.labels[m]))};
    for (std::size_t d = 0; d < runs.datasets.size() && runs.datasets.size() > 1; ++d) {
      series.points.push_back(point(fmt::format("{} on {}", runs.labels[m], runs.datasets[d]),
                                    auroc.by_dataset[d], hm.by_dataset[d]));
    }
    scatter.series.push_back(std::move(series));
  }
  page.section("Classification against detection");
  page.paragraph(fmt::format(
      "HM measures classification when the side is known, AUROC how well the sides are separated. "
      "A method can gain one and lose the other; up and to the right is better.{}",
      runs.datasets.size() > 1 ? " Small points are datasets, large ones the means." : ""));
  add_legend(page, runs);
  page.begin_figures();
  page.figure("HM over AUROC", svg(scatter));
  page.end_figures();
}

void add_stages(HtmlPage& page, const ReportContext& context) {
  const auto costs =
      stage_costs(context.runs, context.measured.comparison, context.measured.options.ties);
  const std::vector<std::string> names = {"OpenworldAUC", "lost in base classes (g)",
                                          "lost in new classes (h)", "lost in the ranking (r)"};
  page.section("What each stage costs");
  page.paragraph(
      "A pair of a base and a new sample counts for OpenworldAUC when the base classifier is "
      "right, "
      "the new classifier is right, and the pair is ranked right. What is lost is shared between "
      "the three by their Shapley values, so that every bar adds up to 100.");
  page.shades(names);
  HtmlTable table({"method", "OpenworldAUC", "base classes (g)", "new classes (h)", "ranking (r)",
                   "if g were perfect", "if h were perfect", "if r were perfect"});
  for (std::size_t m = 0; m < costs.size(); ++m) {
    const StageCosts& c = costs[m];
    if (!c.why.empty()) {
      page.paragraph(fmt::format("{}: none, {}.", context.runs.labels[m], c.why));
      continue;
    }
    std::vector<BarPart> parts = {{names[0], c.openworld_auc}};
    std::vector<HtmlTable::Cell> cells = {{.text = context.runs.labels[m]},
                                          {.text = percent(c.openworld_auc)}};
    for (int s = 0; s < kStages; ++s) {
      parts.push_back(
          {names[static_cast<std::size_t>(s) + 1], c.cost[static_cast<std::size_t>(s)]});
      cells.push_back({.text = percent(c.cost[s])});
    }
    for (const double value : c.if_perfect) cells.push_back({.text = percent(value)});
    const std::size_t method = page.method(context.runs.labels[m]);
    page.bar(context.runs.labels[m], parts, method);
    table.add(std::move(cells), method, HtmlTable::Kind::kMethod);
  }
  page.folded_table("The numbers, and OpenworldAUC if one stage were perfect", table);
}

}  // namespace openworld

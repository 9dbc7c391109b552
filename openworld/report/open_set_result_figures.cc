#include "openworld/report/open_set_result_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/report/open_set_tables.h"
#include "openworld/report/scatter_plot.h"
#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

// A range around values in percent, with round ends.
AxisRange range_of(const std::vector<PlotLine>& lines, std::vector<double> PlotLine::*axis) {
  double low = 1, high = 0;
  for (const PlotLine& line : lines) {
    for (const double value : line.*axis) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  return low > high ? AxisRange{} : round_range(low, high);
}

OpenSetFigure trade_off(const OpenSetReport& report, SvgLook look) {
  Plot plot{.title = "Further queries: none to all",
            .x_title = "closed-set accuracy",
            .y_title = "AuPR",
            .lines = {},
            .look = look};
  for (std::size_t m = 0; m < report.all.open_set.size(); ++m) {
    PlotLine line{std::string(report.all.open_set[m].measure->title), {}, {}};
    for (const TestSummary& test : report.by_extra) {
      const MetricValue& value = test.open_set[m].metrics[kAuprAt].value;
      if (!value.defined() || !test.counts.accuracy) continue;
      line.x.push_back(test.counts.accuracy->value);
      line.y.push_back(value.value);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  plot.x = range_of(plot.lines, &PlotLine::x);
  plot.y = range_of(plot.lines, &PlotLine::y);
  plot.x.percent = plot.y.percent = look == SvgLook::kPage;
  return figure_of("trade-off", "What more and more further queries do to accuracy and AuPR.",
                   plot);
}

OpenSetFigure counts_curve(const OpenSetReport& report, SvgLook look) {
  Plot plot{.title = "True positives and open-set errors",
            .x_title = "further queries",
            .y_title = "share of images",
            .lines = {},
            .x = round_range(0, report.all.extra),
            .look = look};
  PlotLine tp{"true positives", {}, {}}, ose{"open-set errors", {}, {}};
  std::vector<PlotLine> bounds = {{"true positives, low", {}, {}, 0},
                                  {"true positives, high", {}, {}, 0},
                                  {"open-set errors, low", {}, {}, 1},
                                  {"open-set errors, high", {}, {}, 1}};
  for (const TestSummary& test : report.by_extra) {
    if (!test.counts.accuracy) continue;
    const Proportion right = *test.counts.accuracy, errors = *test.counts.ose_rate;
    const double x = test.extra;
    tp.x.push_back(x);
    tp.y.push_back(right.value);
    ose.x.push_back(x);
    ose.y.push_back(errors.value);
    const double ends[] = {right.low, right.high, errors.low, errors.high};
    for (std::size_t b = 0; b < bounds.size(); ++b) {
      bounds[b].x.push_back(x);
      bounds[b].y.push_back(ends[b]);
    }
  }
  plot.y.percent = look == SvgLook::kPage;
  plot.lines = {tp, ose};
  plot.lines.insert(plot.lines.end(), bounds.begin(), bounds.end());
  return figure_of(
      "extra-counts",
      fmt::format("True positives and open-set errors over the number of further queries, with "
                  "{:g} % intervals.",
                  report.level * 100),
      plot);
}

OpenSetFigure efficacy_plot(const OpenSetReport& report, std::span<const std::string> names,
                            SvgLook look) {
  ScatterSeries good, bad;
  for (std::size_t m = 0; m < report.efficacies.size(); ++m) {
    const Efficacy& e = report.efficacies[m];
    if (e.open == 0 && e.closed == 0) continue;
    ScatterPoint point{further_query_name(m, names), static_cast<double>(e.closed),
                       static_cast<double>(e.open)};
    (e.open > e.closed ? good : bad).points.push_back(std::move(point));
  }
  Scatter scatter{.frame = {.title = "What each further query catches",
                            .x_title = "images of the closed test",
                            .y_title = "images of the open test",
                            .look = look},
                  .series = {}};
  for (ScatterSeries* series : {&good, &bad}) {
    if (series->points.empty()) continue;
    const auto n = static_cast<double>(series->points.size());
    series->mean.name = series == &good ? "more of the open test" : "not more of the open test";
    for (const ScatterPoint& point : series->points) {
      series->mean.x += point.x / n;
      series->mean.y += point.y / n;
    }
    scatter.series.push_back(std::move(*series));
  }
  OpenSetFigure figure{"efficacy",
                       "Images that each further query takes in the open and in the closed test.",
                       svg(scatter)};
  for (const ScatterSeries& series : scatter.series) figure.series.push_back(series.mean.name);
  return figure;
}

OpenSetFigure growth_plot(const OpenSetReport& report, std::size_t measure, SvgLook look) {
  Plot plot{.title = "Query sets by size",
            .x_title = "classes in the query set",
            .y_title = "mean over seeds",
            .lines = {},
            .x = round_range(0, report.growth.back().size),
            .look = look};
  plot.y.percent = look == SvgLook::kPage;
  PlotLine accuracy{"accuracy", {}, {}};
  for (const GrowthPoint& point : report.growth) {
    if (point.accuracy.seeds == 0) continue;
    accuracy.x.push_back(point.size);
    accuracy.y.push_back(point.accuracy.mean);
  }
  plot.lines.push_back(std::move(accuracy));
  for (std::size_t k = 0; k < kOpenSetMetrics; ++k) {
    PlotLine line{open_set_metric_table()[k].title, {}, {}};
    for (const GrowthPoint& point : report.growth) {
      const auto& summary = point.metrics[measure][k];
      if (!summary) continue;
      line.x.push_back(point.size);
      line.y.push_back(summary->mean);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  return figure_of(
      "growth",
      fmt::format("Accuracy and open-set metrics of {} over the size of the query set.",
                  report.all.open_set[measure].measure->title),
      plot);
}

}  // namespace

std::vector<OpenSetFigure> open_set_result_figures(const OpenSetReport& report, std::size_t measure,
                                                   std::span<const std::string> extra_names,
                                                   SvgLook look) {
  std::vector<OpenSetFigure> figures;
  if (!report.by_extra.empty()) {
    figures.push_back(trade_off(report, look));
    figures.push_back(counts_curve(report, look));
    figures.push_back(efficacy_plot(report, extra_names, look));
  }
  if (!report.growth.empty()) figures.push_back(growth_plot(report, measure, look));
  return figures;
}

}  // namespace openworld

#include "openworld/report/open_set_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/analysis/curve.h"
#include "openworld/report/scatter_plot.h"
#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

constexpr std::size_t kAupr = 1;  // in open_set_metric_table

std::string percent_text(const MetricValue& value) {
  return value.defined() ? fmt::format("{:.1f}", value.value * 100) : "-";
}

OpenSetFigure precision_recall(const OpenSetScores& scores, const OpenSetReport& report,
                               SvgLook look) {
  Plot plot{.title = "True positives against open-set errors",
            .x_title = "recall",
            .y_title = "precision",
            .lines = {},
            .look = look};
  for (std::size_t m = 0; m < scores.plan.measures.size(); ++m) {
    const MetricValue& area = report.all.open_set[m].metrics[kAupr].value;
    if (!area.defined()) continue;
    const ImageRanking ranking(scores.all(), m, ErrorKind::kOpenSet, scores.images);
    const Curve curve = make_curve(Ranking(ranking.ranked()), CurveKind::kPr,
                                   {.ties = {}, .open = Side::kUnknown}, 500);
    PlotLine line{
        fmt::format("{}  {}", percent_text(area), scores.plan.measures[m]->title), {}, {}};
    for (const CurvePoint& point : curve.points) {
      line.x.push_back(point.x);
      line.y.push_back(point.y);
    }
    plot.lines.push_back(std::move(line));
  }
  return {"precision-recall", "Precision over recall of each uncertainty; the number is the AuPR.",
          svg(plot)};
}

// The share of values in each of the bins over [low, high], as steps.
PlotLine histogram(std::string name, const std::vector<double>& values, double low, double high) {
  constexpr int kBins = 40;
  std::vector<double> counts(kBins);
  const double width = (high - low) / kBins;
  for (const double value : values) {
    const double at = width > 0 ? (value - low) / width : 0;
    counts[static_cast<std::size_t>(std::clamp(at, 0.0, kBins - 1.0))] += 1;
  }
  PlotLine line{std::move(name), {}, {}};
  for (int b = 0; b < kBins; ++b) {
    const double share =
        values.empty() ? 0
                       : counts[static_cast<std::size_t>(b)] / static_cast<double>(values.size());
    for (const int end : {b, b + 1}) {
      line.x.push_back(low + end * width);
      line.y.push_back(share);
    }
  }
  return line;
}

Plot histogram_plot(const std::vector<std::pair<std::string, std::vector<double>>>& groups,
                    std::string title, std::string x_title, SvgLook look) {
  double low = 0, high = 0, tallest = 0;
  bool first = true;
  for (const auto& [name, values] : groups) {
    for (const double value : values) {
      low = first ? value : std::min(low, value);
      high = first ? value : std::max(high, value);
      first = false;
    }
  }
  Plot plot{.title = std::move(title),
            .x_title = std::move(x_title),
            .y_title = "share",
            .lines = {},
            .x = round_range(low, high),
            .look = look};
  for (const auto& [name, values] : groups) {
    plot.lines.push_back(histogram(fmt::format("{} ({})", name, values.size()), values, low, high));
    for (const double share : plot.lines.back().y) tallest = std::max(tallest, share);
  }
  plot.y = round_range(0, tallest);
  return plot;
}

OpenSetFigure uncertainty_histogram(const OpenSetScores& scores, std::size_t measure,
                                    SvgLook look) {
  const OpenSetTest& test = scores.all();
  std::vector<double> right, errors;
  for (std::size_t i = 0; i < test.images.size(); ++i) {
    if (test.closed[i] == ClosedOutcome::kRight) right.push_back(test.closed_score[measure][i]);
    if (test.open[i] == OpenOutcome::kError) errors.push_back(test.open_score[measure][i]);
  }
  const std::string title(scores.plan.measures[measure]->title);
  return {"histogram", fmt::format("{} of true positives and of open-set errors.", title),
          svg(histogram_plot({{"true positives", right}, {"open-set errors", errors}},
                             title + " of answers", title, look))};
}

// The open-set errors of the test without negative queries, by whether a negative query caught
// them.
OpenSetFigure caught_histogram(const OpenSetScores& scores, std::size_t measure, SvgLook look) {
  const OpenSetTest &without = scores.by_extra.front(), &with = scores.all();
  std::vector<double> caught, left;
  for (std::size_t i = 0; i < without.images.size(); ++i) {
    if (without.open[i] != OpenOutcome::kError) continue;
    auto& group = with.open[i] == OpenOutcome::kError ? left : caught;
    group.push_back(without.open_score[measure][i]);
  }
  const std::string title(scores.plan.measures[measure]->title);
  return {"caught-errors",
          fmt::format("{} of the open-set errors that negative queries catch and leave.", title),
          svg(histogram_plot({{"caught", caught}, {"left", left}}, title + " before negatives",
                             title, look))};
}

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
      const MetricValue& value = test.open_set[m].metrics[kAupr].value;
      if (!value.defined() || !test.counts.accuracy) continue;
      line.x.push_back(test.counts.accuracy->value);
      line.y.push_back(value.value);
    }
    if (!line.x.empty()) plot.lines.push_back(std::move(line));
  }
  plot.x = range_of(plot.lines, &PlotLine::x);
  plot.y = range_of(plot.lines, &PlotLine::y);
  return {"trade-off", "What more and more further queries do to accuracy and AuPR.", svg(plot)};
}

OpenSetFigure counts_curve(const OpenSetReport& report, SvgLook look) {
  Plot plot{.title = "True positives and open-set errors",
            .x_title = "further queries",
            .y_title = "share of images",
            .lines = {},
            .x = round_range(0, report.all.extra),
            .look = look};
  PlotLine tp{"true positives", {}, {}}, ose{"open-set errors", {}, {}};
  std::vector<PlotLine> bounds = {
      {"TP, low", {}, {}}, {"TP, high", {}, {}}, {"OSE, low", {}, {}}, {"OSE, high", {}, {}}};
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
  plot.lines = {tp, ose};
  plot.lines.insert(plot.lines.end(), bounds.begin(), bounds.end());
  return {"extra-counts",
          fmt::format("True positives and open-set errors over the number of further queries, with "
                      "{:g} % intervals.",
                      report.level * 100),
          svg(plot)};
}

OpenSetFigure efficacy_plot(const OpenSetReport& report, SvgLook look) {
  ScatterSeries good, bad;
  double most = 1;
  for (std::size_t m = 0; m < report.efficacies.size(); ++m) {
    const Efficacy& e = report.efficacies[m];
    if (e.open == 0 && e.closed == 0) continue;
    ScatterPoint point{fmt::format("query {}", m), static_cast<double>(e.closed),
                       static_cast<double>(e.open)};
    most = std::max({most, point.x, point.y});
    (e.open > e.closed ? good : bad).points.push_back(std::move(point));
  }
  Scatter scatter{.frame = {.title = "What each further query catches",
                            .x_title = "images of the closed test",
                            .y_title = "images of the open test",
                            .x = round_range(0, most),
                            .y = round_range(0, most),
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
  return {"efficacy", "Images that each further query takes in the open and in the closed test.",
          svg(scatter)};
}

OpenSetFigure growth_plot(const OpenSetReport& report, std::size_t measure, SvgLook look) {
  Plot plot{.title = "Query sets by size",
            .x_title = "classes in the query set",
            .y_title = "mean over seeds",
            .lines = {},
            .x = round_range(0, report.growth.back().size),
            .look = look};
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
  return {"growth",
          fmt::format("Accuracy and open-set metrics of {} over the size of the query set.",
                      report.all.open_set[measure].measure->title),
          svg(plot)};
}

}  // namespace

std::vector<OpenSetFigure> open_set_figures(const OpenSetScores& scores,
                                            const OpenSetReport& report, std::size_t measure,
                                            SvgLook look) {
  std::vector<OpenSetFigure> figures = {precision_recall(scores, report, look),
                                        uncertainty_histogram(scores, measure, look)};
  if (!report.by_extra.empty()) {
    figures.push_back(trade_off(report, look));
    figures.push_back(counts_curve(report, look));
    figures.push_back(efficacy_plot(report, look));
    if (report.role == ExtraRole::kNegative) {
      figures.push_back(caught_histogram(scores, measure, look));
    }
  }
  if (!report.growth.empty()) figures.push_back(growth_plot(report, measure, look));
  return figures;
}

}  // namespace openworld

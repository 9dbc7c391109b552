#include "openworld/report/open_set_score_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/report/curve_line.h"
#include "openworld/report/text_table.h"

namespace openworld {
namespace {

// The share of values in each of the bins over [low, high], as steps.
PlotLine histogram(std::string name, const std::vector<double>& values, double low, double high) {
  constexpr int kBins = 40;
  std::vector<double> counts(kBins);
  const double width = high / kBins - low / kBins;  // without overflow
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
  plot.y.percent = look == SvgLook::kPage;
  return plot;
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
  return figure_of(
      "caught-errors",
      fmt::format("{} of the open-set errors that negative queries catch and leave.", title),
      histogram_plot({{"caught", caught}, {"left", left}}, title + " before negatives", title,
                     look));
}

OpenSetFigure histogram_of(const OpenSetScores& scores, std::size_t measure, SvgLook look) {
  const OpenSetTest& test = scores.all();
  std::vector<double> right, errors;
  for (std::size_t i = 0; i < test.images.size(); ++i) {
    if (test.closed[i] == ClosedOutcome::kRight) right.push_back(test.closed_score[measure][i]);
    if (test.open[i] == OpenOutcome::kError) errors.push_back(test.open_score[measure][i]);
  }
  return uncertainty_histogram(std::string(scores.plan.measures[measure]->title), right, errors,
                               look);
}

std::optional<OpenSetFigure> precision_recall_of(const OpenSetScores& scores,
                                                 const OpenSetReport& report, SvgLook look) {
  std::vector<ImageRanking> rankings;
  std::vector<RankedLine> lines;
  for (std::size_t m = 0; m < scores.plan.measures.size(); ++m) {
    const MetricValue& area = report.all.open_set[m].metrics[kAuprAt].value;
    if (!area.defined()) continue;
    rankings.push_back(rank_test(scores.all(), m, ErrorKind::kOpenSet, scores.images));
    lines.push_back({std::string(scores.plan.measures[m]->title), area, &rankings.back().ranked()});
  }
  return precision_recall_figure(lines, "uncertainty", look);
}

}  // namespace

std::optional<OpenSetFigure> precision_recall_figure(std::span<const RankedLine> lines,
                                                     const std::string& what, SvgLook look) {
  Plot plot{.title = "True positives against open-set errors",
            .x_title = "recall",
            .y_title = "precision",
            .lines = {},
            .look = look};
  plot.x.percent = plot.y.percent = look == SvgLook::kPage;
  for (const RankedLine& line : lines) {
    if (!line.aupr.defined()) continue;
    const Curve curve = make_curve(Ranking(*line.ranked), CurveKind::kPr,
                                   {.ties = {}, .open = Side::kUnknown}, 500);
    plot.lines.push_back(
        curve_line(fmt::format("{}  {}", percent(line.aupr.value, 1), line.name), curve.points));
    plot.lines.back().method = line.method;
  }
  if (plot.lines.empty()) return std::nullopt;
  return figure_of("precision-recall",
                   fmt::format("Precision over recall of each {}; the number is the AuPR.", what),
                   plot);
}

OpenSetFigure uncertainty_histogram(const std::string& title, const std::vector<double>& right,
                                    const std::vector<double>& errors, SvgLook look) {
  return figure_of("histogram", fmt::format("{} of true positives and of open-set errors.", title),
                   histogram_plot({{"true positives", right}, {"open-set errors", errors}},
                                  title + " of answers", title, look));
}

std::vector<OpenSetFigure> open_set_score_figures(const OpenSetScores& scores,
                                                  const OpenSetReport& report, std::size_t measure,
                                                  SvgLook look) {
  std::vector<OpenSetFigure> figures;
  if (auto curves = precision_recall_of(scores, report, look)) {
    figures.push_back(std::move(*curves));
  }
  figures.push_back(histogram_of(scores, measure, look));
  if (scores.extra > 0 && report.role == ExtraRole::kNegative) {
    figures.push_back(caught_histogram(scores, measure, look));
  }
  return figures;
}

}  // namespace openworld

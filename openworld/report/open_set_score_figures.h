#pragma once

// The figures of an open-set test that are drawn from scores: precision over recall, and histograms
// of an uncertainty.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/openset/open_set_report.h"
#include "openworld/report/open_set_figure.h"
#include "openworld/report/svg_axes.h"

namespace openworld {

// True positives (base) and open-set errors (unknown), ranked by an uncertainty.
struct RankedLine {
  std::string name;
  MetricValue aupr;  // shown with the name; without it there is no line
  const RankedScores* ranked = nullptr;
  int method = -1;  // of the page, see PlotLine
};

// Precision over recall of each; nothing where none has a line. `what` they are, for the caption.
std::optional<OpenSetFigure> precision_recall_figure(std::span<const RankedLine> lines,
                                                     const std::string& what, SvgLook look);

// The scores of true positives and of open-set errors; `title` is that of the uncertainty.
OpenSetFigure uncertainty_histogram(const std::string& title, const std::vector<double>& right,
                                    const std::vector<double>& errors, SvgLook look);

// Those of a test: precision over recall of every measure, and histograms of one.
std::vector<OpenSetFigure> open_set_score_figures(const OpenSetScores& scores,
                                                  const OpenSetReport& report, std::size_t measure,
                                                  SvgLook look);

}  // namespace openworld

#pragma once

// The figures of an open-set test as SVG: precision over recall, histograms of an uncertainty, what
// negative queries trade, what each of them catches, and what a growing query set costs.

#include <string>
#include <vector>

#include "openworld/openset/open_set_report.h"
#include "openworld/report/svg_axes.h"

namespace openworld {

struct OpenSetFigure {
  std::string name;     // of a file: "precision-recall"
  std::string caption;  // one sentence
  std::string svg;
};

// Those that there are numbers for. `measure` is the one that figures of one measure show.
std::vector<OpenSetFigure> open_set_figures(const OpenSetScores& scores,
                                            const OpenSetReport& report, std::size_t measure,
                                            SvgLook look);

}  // namespace openworld

#pragma once

// The figures of an open-set test that are drawn from its result: what further queries trade, what
// each of them catches, and what a growing query set costs.

#include <span>
#include <string>
#include <vector>

#include "openworld/openset/open_set_report.h"
#include "openworld/report/open_set_figure.h"
#include "openworld/report/svg_axes.h"

namespace openworld {

// Those that there are numbers for. `measure` is the one that figures of one measure show, and
// `extra_names` names further queries as far as it goes.
std::vector<OpenSetFigure> open_set_result_figures(const OpenSetReport& report, std::size_t measure,
                                                   std::span<const std::string> extra_names,
                                                   SvgLook look);

}  // namespace openworld

#pragma once

// What a page says about one open-set test: its tables and figures.

#include <string>
#include <vector>

#include "openworld/openset/open_set_report.h"
#include "openworld/report/html_page.h"
#include "openworld/report/open_set_figure.h"

namespace openworld {

// The whole result. `measure` is the one that long tables show; figures are of SvgLook::kPage.
void add_open_set_result(HtmlPage& page, const OpenSetReport& report, std::size_t measure,
                         const std::vector<OpenSetFigure>& figures);

// Figures side by side, each with its legend.
void add_open_set_figures(HtmlPage& page, const std::vector<OpenSetFigure>& figures);

}  // namespace openworld

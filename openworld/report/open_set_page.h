#pragma once

// The section of a report page about an open-set test: its tables and figures.

#include <vector>

#include "openworld/report/html_page.h"
#include "openworld/report/open_set_figures.h"

namespace openworld {

// Figures are of SvgLook::kPage.
void add_open_set(HtmlPage& page, const OpenSetReport& report,
                  const std::vector<OpenSetFigure>& figures);

}  // namespace openworld

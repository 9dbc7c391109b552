#include "openworld/report/open_set_figure.h"

namespace openworld {

OpenSetFigure figure_of(std::string name, std::string caption, const Plot& plot) {
  OpenSetFigure figure{std::move(name), std::move(caption), svg(plot)};
  for (const PlotLine& line : plot.lines) {
    if (line.bounds < 0) figure.series.push_back(line.name);
  }
  return figure;
}

}  // namespace openworld

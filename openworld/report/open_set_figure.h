#pragma once

#include <string>
#include <vector>

#include "openworld/report/svg_plot.h"

namespace openworld {

// A figure of an open-set test as SVG.
struct OpenSetFigure {
  std::string name;     // of a file: "precision-recall"
  std::string caption;  // one sentence
  std::string svg;
  std::vector<std::string> series{};  // names of its lines or groups, in the order of the colours
};

OpenSetFigure figure_of(std::string name, std::string caption, const Plot& plot);

}  // namespace openworld

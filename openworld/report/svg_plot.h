#pragma once

// A line plot as a self-contained SVG: axes with round ticks, a grid, lines, a legend. Plain enough
// to put into a paper, small enough to put into a page (then without title and legend).

#include <string>
#include <string_view>
#include <vector>

#include "openworld/report/svg_axes.h"

namespace openworld {

struct PlotLine {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;  // as many as x
  // The number of the line that this one bounds, whose colour it takes: drawn thin and without a
  // place in the legend. REQUIRES: bounds come after all lines that are not bounds.
  int bounds = -1;
  // On a page: the method that it is of, whose colour it has and with which it is hidden; -1: none.
  int method = -1;
};

// A point with its name beside it.
struct PlotMark {
  std::string name;
  double x = 0;
  double y = 0;
  std::size_t line = 0;  // whose colour it takes
};

struct Plot {
  std::string title;
  std::string x_title;
  std::string y_title;
  std::vector<PlotLine> lines;
  AxisRange x{}, y{};  // default 0 to 1, the range of rates
  int width = 480;
  int height = 420;
  SvgLook look = SvgLook::kPaper;
  std::vector<PlotMark> marks{};
};

std::string svg(const Plot& plot);

// Text escaped for XML.
std::string xml_escape(std::string_view text);

}  // namespace openworld

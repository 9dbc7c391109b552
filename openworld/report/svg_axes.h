#pragma once

// The frame of a drawing as SVG: axes with round ticks, a grid, titles, and where numbers are on
// it. What is drawn inside belongs to svg_plot.h and scatter_plot.h.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

enum class SvgLook {
  kPaper,  // a separate file: black on white
  kPage,   // within an HTML page, in its text colour; the page has title and legend
};

struct AxisRange {
  double low = 0;
  double high = 1;
  bool percent = false;  // ticks of shares as percent, which the title says
};

// The smallest range with round ends that holds both, and at least a tenth wide.
AxisRange round_range(double low, double high);

struct AxisTick {
  double value = 0;
  std::string text;
};

// Round numbers from end to end. REQUIRES: a range of round_range.
std::vector<AxisTick> axis_ticks(const AxisRange& range);

struct SvgFrame {
  std::string title;  // on a page, the accessible description
  std::string x_title;
  std::string y_title;
  AxisRange x{}, y{};
  int width = 480;
  int height = 420;
  SvgLook look = SvgLook::kPaper;
};

class SvgAxes {
 public:
  explicit SvgAxes(SvgFrame frame);

  double px(double x) const;
  double py(double y) const;

  // From <svg> up to the contents; the caller writes </svg>.
  std::string open() const;

 private:
  SvgFrame frame_;
  double top_;
  double wide_, high_;
};

// Okabe and Ito's colours, which people with any colour vision can distinguish; they repeat. On a
// page they are variables of its style, which a dark page makes lighter.
std::string_view series_colour(std::size_t i, SvgLook look);

// Of a line: nothing for the first seven, then dashes, so that lines of one colour differ.
std::string_view series_dashes(std::size_t i);

// " stroke-dasharray=..." of a line, or "".
std::string dashes_attribute(std::size_t i);

}  // namespace openworld

#include "openworld/report/scatter_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

struct Extent {
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  AxisRange range() const { return low <= high ? round_range(low, high) : AxisRange{}; }
};

void draw(const SvgAxes& axes, const ScatterPoint& point, std::string_view colour, double radius,
          std::string_view filling, std::string& out) {
  fmt::format_to(
      std::back_inserter(out),
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" stroke=\"{}\" stroke-width=\"1.5\" "
      "fill=\"{}\" fill-opacity=\"{}\"><title>{}</title></circle>\n",
      axes.px(point.x), axes.py(point.y), radius, colour, colour, filling, xml_escape(point.name));
}

}  // namespace

std::string svg(const Scatter& scatter) {
  Extent x, y;
  for (const ScatterSeries& series : scatter.series) {
    for (const ScatterPoint& point : series.points) {
      x.add(point.x);
      y.add(point.y);
    }
    x.add(series.mean.x);
    y.add(series.mean.y);
  }
  SvgFrame frame = scatter.frame;
  frame.x = x.range();
  frame.y = y.range();
  const SvgAxes axes(frame);
  std::string out = axes.open();
  for (std::size_t i = 0; i < scatter.series.size(); ++i) {
    const std::string_view colour = series_colour(i, frame.look);
    for (const ScatterPoint& point : scatter.series[i].points) {
      draw(axes, point, colour, 4, "0.15", out);
    }
  }
  // Means on top of all.
  for (std::size_t i = 0; i < scatter.series.size(); ++i) {
    draw(axes, scatter.series[i].mean, series_colour(i, frame.look), 9, "0.85", out);
  }
  return out + "</svg>\n";
}

}  // namespace openworld

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

struct PointStyle {
  std::string_view colour;
  int method;
  double radius;
  std::string_view filling;
};

void draw(const SvgAxes& axes, const ScatterPoint& point, const PointStyle& style,
          std::string& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\" stroke=\"{}\"",
                 axes.px(point.x), axes.py(point.y), style.radius, style.colour);
  if (style.method >= 0) fmt::format_to(to, " data-m=\"{}\"", style.method);
  fmt::format_to(to,
                 " stroke-width=\"1.5\" fill=\"{}\" fill-opacity=\"{}\"><title>{}</title>"
                 "</circle>\n",
                 style.colour, style.filling, xml_escape(point.name));
}

std::string_view colour_of(const Scatter& scatter, std::size_t i) {
  const int method = scatter.series[i].method;
  return series_colour(method >= 0 ? static_cast<std::size_t>(method) : i, scatter.frame.look);
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
  const bool percent_x = frame.x.percent, percent_y = frame.y.percent;
  frame.x = x.range();
  frame.y = y.range();
  frame.x.percent = percent_x;
  frame.y.percent = percent_y;
  const SvgAxes axes(frame);
  std::string out = axes.open();
  for (std::size_t i = 0; i < scatter.series.size(); ++i) {
    const ScatterSeries& series = scatter.series[i];
    for (const ScatterPoint& point : series.points) {
      draw(axes, point, {colour_of(scatter, i), series.method, 4, "0.15"}, out);
    }
  }
  // Means on top of all.
  for (std::size_t i = 0; i < scatter.series.size(); ++i) {
    const ScatterSeries& series = scatter.series[i];
    draw(axes, series.mean, {colour_of(scatter, i), series.method, 9, "0.85"}, out);
  }
  return out + "</svg>\n";
}

}  // namespace openworld

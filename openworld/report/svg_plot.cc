#include "openworld/report/svg_plot.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace openworld {
namespace {

// Bytes of the UTF-8 character at the start of `text`; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : (lead & 0xf0) == 0xe0       ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

struct Pixel {
  double x = 0, y = 0;
};

// The points of a line that matter: without the others it moves by at most `most` (Ramer,
// 1972; Douglas and Peucker, 1973).
std::vector<Pixel> simplified(std::span<const Pixel> points, double most) {
  std::vector<std::uint8_t> kept(points.size(), 0);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  if (points.size() > 2) parts.emplace_back(0, points.size() - 1);
  while (!parts.empty()) {
    const auto [first, last] = parts.back();
    parts.pop_back();
    const Pixel a = points[first], b = points[last];
    const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
    double farthest = most;
    std::size_t middle = first;
    for (std::size_t i = first + 1; i < last; ++i) {
      const double px = points[i].x - a.x, py = points[i].y - a.y;
      // Beyond an end of the part, the distance is to that end.
      const double along = length > 0 ? (px * dx + py * dy) / length : 0;
      const double distance = length == 0 || along < 0 ? std::hypot(px, py)
                              : along > length ? std::hypot(points[i].x - b.x, points[i].y - b.y)
                                               : std::abs(px * dy - py * dx) / length;
      if (distance > farthest) {
        farthest = distance;
        middle = i;
      }
    }
    if (middle == first) continue;
    kept[middle] = 1;
    parts.emplace_back(first, middle);
    parts.emplace_back(middle, last);
  }
  std::vector<Pixel> result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i == 0 || i + 1 == points.size() || kept[i] != 0) result.push_back(points[i]);
  }
  return result;
}

// Pixels by which a line of a page may be off; among many lines nobody sees one.
double tolerance(std::size_t lines) {
  return lines <= 20 ? 0.3 : 1;
}

}  // namespace

std::string xml_escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        if (const std::size_t length = utf8_length(text.substr(i)); length > 1) {
          out += text.substr(i, length);
          i += length - 1;
        } else if (length == 0) {
          out += "\xef\xbf\xbd";  // U+FFFD, the replacement character
        } else {
          out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
        }
    }
  }
  return out;
}

std::string svg(const Plot& plot) {
  const SvgAxes axes({.title = plot.title,
                      .x_title = plot.x_title,
                      .y_title = plot.y_title,
                      .x = plot.x,
                      .y = plot.y,
                      .width = plot.width,
                      .height = plot.height,
                      .look = plot.look});
  std::string out = axes.open();
  const auto to = std::back_inserter(out);
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const PlotLine& line = plot.lines[i];
    assert(line.x.size() == line.y.size());
    const bool is_bound = line.bounds >= 0;
    const auto series = static_cast<std::size_t>(is_bound           ? line.bounds
                                                 : line.method >= 0 ? line.method
                                                                    : static_cast<int>(i));
    const std::string_view colour = series_colour(series, plot.look);
    fmt::format_to(
        to, "<polyline fill=\"none\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke=\"{}\"{}",
        is_bound ? 1 : 2, colour, dashes_attribute(series));
    if (line.method >= 0) fmt::format_to(to, " data-m=\"{}\"", line.method);
    out += " points=\"";
    const bool on_page = plot.look == SvgLook::kPage;
    std::vector<Pixel> points;
    for (std::size_t k = 0; k < line.x.size(); ++k) {
      points.push_back({axes.px(line.x[k]), axes.py(line.y[k])});
    }
    if (on_page) points = simplified(points, tolerance(plot.lines.size()));
    const char* separator = "";
    for (const auto& [x, y] : points) {
      fmt::format_to(to, "{}{:.{}f},{:.{}f}", separator, x, on_page ? 1 : 2, y, on_page ? 1 : 2);
      separator = " ";
    }
    if (on_page) {
      fmt::format_to(to, "\"><title>{}</title></polyline>\n", xml_escape(line.name));
      continue;
    }
    out += "\"/>\n";
    if (is_bound) continue;
    const double row = axes.py(plot.y.high) + 14 + 18 * static_cast<double>(i);
    fmt::format_to(to,
                   "<path d=\"M{:.1f} {:.1f}h18\" stroke-width=\"2\" stroke=\"{}\"{}/>"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                   axes.px(plot.x.high) - 190, row - 4, colour, dashes_attribute(series),
                   axes.px(plot.x.high) - 166, row, xml_escape(line.name));
  }
  for (const PlotMark& mark : plot.marks) {
    fmt::format_to(to,
                   "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4.5\" fill=\"{}\"/>"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                   axes.px(mark.x), axes.py(mark.y), series_colour(mark.line, plot.look),
                   axes.px(mark.x) + 8, axes.py(mark.y) - 6, xml_escape(mark.name));
  }
  out += "</svg>\n";
  return out;
}

}  // namespace openworld

#include "openworld/report/svg_plot.h"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <iterator>

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
    // What moves by less is left out of a page: half a pixel, or two where there are many lines.
    const double least = plot.lines.size() <= 20 ? 0.5 : 2;
    double last_x = 0, last_y = 0;
    for (std::size_t k = 0; k < line.x.size(); ++k) {
      const double x = axes.px(line.x[k]), y = axes.py(line.y[k]);
      const bool close = std::abs(x - last_x) < least && std::abs(y - last_y) < least;
      if (on_page && close && k > 0 && k + 1 < line.x.size()) continue;
      fmt::format_to(to, "{}{:.{}f},{:.{}f}", k == 0 ? "" : " ", x, on_page ? 1 : 2, y,
                     on_page ? 1 : 2);
      last_x = x;
      last_y = y;
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

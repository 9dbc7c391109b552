#include "openworld/report/svg_plot.h"

#include <fmt/format.h>

#include <cassert>
#include <iterator>

namespace openworld {
namespace {

constexpr double kLeft = 58, kRight = 16, kTop = 40, kBottom = 50;
// Okabe and Ito's colours, which people with any colour vision can tell apart.
constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#000000"};
constexpr int kTicks = 5;

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
  const double wide = plot.width - kLeft - kRight, high = plot.height - kTop - kBottom;
  const auto px = [&](double x) { return kLeft + x * wide; };
  const auto py = [&](double y) { return kTop + (1 - y) * high; };
  std::string out;
  const auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
                 "height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                 "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                 plot.width, plot.height, plot.width, plot.height);
  fmt::format_to(to,
                 "<text x=\"{:.1f}\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
                 kLeft, xml_escape(plot.title));
  for (int i = 0; i <= kTicks; ++i) {
    const double v = static_cast<double>(i) / kTicks;
    fmt::format_to(to,
                   "<path d=\"M{:.1f} {:.1f}V{:.1f}M{:.1f} {:.1f}H{:.1f}\" stroke=\"#e0e0e0\"/>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.1f}</text>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.1f}</text>\n",
                   px(v), py(0), py(1), px(0), py(v), px(1), px(v), py(0) + 18, v, px(0) - 8,
                   py(v) + 4, v);
  }
  fmt::format_to(to,
                 "<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"#333333\"/>\n"
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                 "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
                 "</text>\n",
                 px(0), py(1), py(0), px(1), px(0.5), py(0) + 40, xml_escape(plot.x_title), py(0.5),
                 xml_escape(plot.y_title));
  for (std::size_t i = 0; i < plot.lines.size(); ++i) {
    const PlotLine& line = plot.lines[i];
    assert(line.x.size() == line.y.size());
    const std::string_view colour = kColours[i % std::size(kColours)];
    out += "<polyline fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke=\"";
    out += colour;
    out += "\" points=\"";
    for (std::size_t k = 0; k < line.x.size(); ++k) {
      fmt::format_to(to, "{}{:.2f},{:.2f}", k == 0 ? "" : " ", px(line.x[k]), py(line.y[k]));
    }
    out += "\"/>\n";
    const double row = kTop + 14 + 18 * static_cast<double>(i);
    fmt::format_to(to,
                   "<path d=\"M{:.1f} {:.1f}h18\" stroke-width=\"2\" stroke=\"{}\"/>"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                   px(1) - 190, row - 4, colour, px(1) - 166, row, xml_escape(line.name));
  }
  out += "</svg>\n";
  return out;
}

}  // namespace openworld

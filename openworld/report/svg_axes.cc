#include "openworld/report/svg_axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

constexpr double kLeft = 58, kRight = 16, kBottom = 50;
constexpr std::string_view kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                         "#e69f00", "#56b4e9", "#000000"};

struct Ticks {
  int count;
  int decimals;
};

// Up to nine steps of a round size from end to end. REQUIRES: a range of round_range.
Ticks ticks_of(const AxisRange& range) {
  for (const double step : {0.02, 0.05, 0.1}) {
    const double steps = (range.high - range.low) / step;
    const auto count = static_cast<int>(std::lround(steps));
    if (count <= 9 && std::abs(steps - count) < 1e-6) return {count, step < 0.1 ? 2 : 1};
  }
  return {5, 1};  // 0 to 1
}

}  // namespace

AxisRange round_range(double low, double high) {
  constexpr double kStep = 20;  // twentieths
  double first = std::floor(low * kStep + 1e-9), last = std::ceil(high * kStep - 1e-9);
  while (last - first < 2) {
    if (last < kStep) ++last;
    if (last - first < 2 && first > 0) --first;
  }
  // Steps of a tenth past four of them, so that ticks fall on the ends.
  if (last - first > 8) {
    first = 2 * std::floor(first / 2);
    last = 2 * std::ceil(last / 2);
  }
  return {first / kStep, last / kStep};
}

std::string_view series_colour(std::size_t i, SvgLook look) {
  const std::size_t at = i % std::size(kColours);
  const bool black = at == std::size(kColours) - 1;
  return black && look == SvgLook::kPage ? "currentColor" : kColours[at];
}

SvgAxes::SvgAxes(SvgFrame frame)
    : frame_(std::move(frame)),
      top_(frame_.look == SvgLook::kPaper ? 40 : 12),
      wide_(frame_.width - kLeft - kRight),
      high_(frame_.height - top_ - kBottom) {}

double SvgAxes::px(double x) const {
  return kLeft + (x - frame_.x.low) / (frame_.x.high - frame_.x.low) * wide_;
}

double SvgAxes::py(double y) const {
  return top_ + (frame_.y.high - y) / (frame_.y.high - frame_.y.low) * high_;
}

std::string SvgAxes::open() const {
  std::string out;
  const auto to = std::back_inserter(out);
  const bool paper = frame_.look == SvgLook::kPaper;
  const std::string_view grid = paper ? "stroke=\"#e0e0e0\""
                                      : "stroke=\"currentColor\" "
                                        "stroke-opacity=\"0.15\"";
  const double left = px(frame_.x.low), right = px(frame_.x.high);
  const double bottom = py(frame_.y.low), above = py(frame_.y.high);
  if (paper) {
    fmt::format_to(to,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" "
                   "height=\"{}\" font-family=\"sans-serif\" font-size=\"12\">\n"
                   "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
                   "<text x=\"{:.1f}\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
                   frame_.width, frame_.height, frame_.width, frame_.height, kLeft,
                   xml_escape(frame_.title));
  } else {
    fmt::format_to(to,
                   "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\" font-size=\"12\" "
                   "fill=\"currentColor\">\n",
                   frame_.width, frame_.height, xml_escape(frame_.title));
  }
  const auto tick = [](const AxisRange& range, int i, int count) {
    return range.low + (range.high - range.low) * i / count;
  };
  const Ticks across = ticks_of(frame_.x), up = ticks_of(frame_.y);
  for (int i = 0; i <= std::max(across.count, up.count); ++i) {
    const double x = tick(frame_.x, i, across.count), y = tick(frame_.y, i, up.count);
    if (i <= across.count) {
      fmt::format_to(to,
                     "<path d=\"M{:.1f} {:.1f}V{:.1f}\" {}/>\n"
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.{}f}</text>\n",
                     px(x), bottom, above, grid, px(x), bottom + 18, x, across.decimals);
    }
    if (i <= up.count) {
      fmt::format_to(to,
                     "<path d=\"M{:.1f} {:.1f}H{:.1f}\" {}/>\n"
                     "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.{}f}</text>\n",
                     left, py(y), right, grid, left - 8, py(y) + 4, y, up.decimals);
    }
  }
  fmt::format_to(to,
                 "<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n"
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                 "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
                 "</text>\n",
                 left, above, bottom, right, paper ? "#333333" : "currentColor", (left + right) / 2,
                 bottom + 40, xml_escape(frame_.x_title), (above + bottom) / 2,
                 xml_escape(frame_.y_title));
  return out;
}

}  // namespace openworld

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
constexpr std::string_view kVariables[] = {"var(--k0)", "var(--k1)", "var(--k2)", "var(--k3)",
                                           "var(--k4)", "var(--k5)", "var(--k6)"};
static_assert(std::size(kColours) == std::size(kVariables));

struct Ticks {
  int count;
  int decimals;  // -1: four digits, of numbers too long to print
};

// Rates have ends and ticks of their own; other numbers, such as counts and logits, take steps of
// 1, 2 or 5 times a power of ten.
bool holds_rates(double low, double high) {
  return low >= 0 && high <= 1;
}

// The smallest step of at least `least`.
double next_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

bool is_whole(double value) {
  return std::abs(value - std::round(value)) < 1e-6;
}

// Up to nine steps of a round size from end to end. REQUIRES: a range of round_range.
Ticks ticks_of(const AxisRange& range) {
  if (holds_rates(range.low, range.high)) {
    for (const double step : {0.02, 0.05, 0.1}) {
      const double steps = (range.high - range.low) / step;
      if (std::lround(steps) <= 9 && is_whole(steps)) {
        return {static_cast<int>(std::lround(steps)), step < 0.1 ? 2 : 1};
      }
    }
    return {5, 1};  // 0 to 1
  }
  const double largest = std::max(std::abs(range.low), std::abs(range.high));
  const double span = range.high - range.low;
  double step = next_step(span / 10);
  for (int tried = 0; tried < 4 && !(is_whole(span / step) && is_whole(range.low / step));
       ++tried) {
    step = next_step(1.5 * step);
  }
  const double steps = span / step;
  const int count = steps >= 1 && steps <= 10 ? static_cast<int>(std::lround(steps)) : 1;
  if (!(largest < 1e6)) return {count, -1};
  return {count, std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)))};
}

std::string tick_text(double value, const AxisRange& range, int decimals) {
  if (range.percent) return fmt::format("{:.{}f}", 100 * value, std::max(0, decimals - 2));
  return decimals < 0 ? fmt::format("{:.4g}", value) : fmt::format("{:.{}f}", value, decimals);
}

std::string title_of(const std::string& title, const AxisRange& range) {
  return range.percent ? title + ", %" : title;
}

AxisRange range_of_rates(double low, double high) {
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

}  // namespace

AxisRange round_range(double low, double high) {
  if (holds_rates(low, high)) return range_of_rates(low, high);
  // Wide enough that the ends differ, also of large numbers; beyond them there is nothing to draw.
  constexpr double kMost = 1e300;
  low = std::clamp(low, -kMost, kMost);
  high = std::clamp(high, -kMost, kMost);
  const double width = std::max({high - low, 0.1, 1e-6 * std::max(std::abs(low), std::abs(high))});
  const double step = next_step(width / 8);
  AxisRange range{step * std::floor(low / step + 1e-9), step * std::ceil(high / step - 1e-9)};
  if (range.high - range.low < width / 2) range.high = range.low + width;
  return range;
}

std::vector<AxisTick> axis_ticks(const AxisRange& range) {
  const Ticks ticks = ticks_of(range);
  std::vector<AxisTick> list;
  for (int i = 0; i <= ticks.count; ++i) {
    const double value = range.low + (range.high - range.low) * i / ticks.count;
    list.push_back({value, tick_text(value, range, ticks.decimals)});
  }
  return list;
}

std::string_view series_colour(std::size_t i, SvgLook look) {
  const std::size_t at = i % std::size(kColours);
  return look == SvgLook::kPage ? kVariables[at] : kColours[at];
}

std::string_view series_dashes(std::size_t i) {
  constexpr std::string_view kDashes[] = {"", "7 3", "2 3", "9 3 2 3"};
  return kDashes[i / std::size(kColours) % std::size(kDashes)];
}

std::string dashes_attribute(std::size_t i) {
  const std::string_view dashes = series_dashes(i);
  return dashes.empty() ? "" : fmt::format(" stroke-dasharray=\"{}\"", dashes);
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
  for (const AxisTick& tick : axis_ticks(frame_.x)) {
    const double x = px(tick.value);
    fmt::format_to(to,
                   "<path d=\"M{:.1f} {:.1f}V{:.1f}\" {}/>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                   x, bottom, above, grid, x, bottom + 18, tick.text);
  }
  for (const AxisTick& tick : axis_ticks(frame_.y)) {
    const double y = py(tick.value);
    fmt::format_to(to,
                   "<path d=\"M{:.1f} {:.1f}H{:.1f}\" {}/>\n"
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                   left, y, right, grid, left - 8, y + 4, tick.text);
  }
  fmt::format_to(to,
                 "<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"{}\"/>\n"
                 "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                 "<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}"
                 "</text>\n",
                 left, above, bottom, right, paper ? "#333333" : "currentColor", (left + right) / 2,
                 bottom + 40, xml_escape(title_of(frame_.x_title, frame_.x)), (above + bottom) / 2,
                 xml_escape(title_of(frame_.y_title, frame_.y)));
  return out;
}

}  // namespace openworld

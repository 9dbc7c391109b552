#include "openworld/report/forest_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "openworld/report/svg_axes.h"
#include "openworld/report/svg_plot.h"

namespace openworld {
namespace {

constexpr double kWidth = 480, kNames = 150, kRight = 66, kRow = 24, kTop = 8, kBottom = 44;
constexpr std::size_t kLongest = 22;  // letters of a name that fit

// The first letters of a name; its row says the whole when pointed at.
std::string fitting(std::string_view name, std::size_t most) {
  std::size_t letters = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(name[i]) & 0xc0) != 0x80;
    if (begins && ++letters == most) return std::string(name.substr(0, i)) + "\u2026";
  }
  return std::string(name);
}

std::string signed_text(double value) {
  return fmt::format("{:+.2f}", value);
}

std::string hint(const Forest& forest, const ForestRow& row) {
  std::string text = row.name + ": " + signed_text(row.difference * forest.scale);
  if (row.interval) {
    text += fmt::format(" [{}, {}]", signed_text(row.interval->low * forest.scale),
                        signed_text(row.interval->high * forest.scale));
  }
  return text + (row.significant ? ", significant" : "");
}

AxisRange range_of(const Forest& forest) {
  double low = 0, high = 0;
  for (const ForestRow& row : forest.rows) {
    low = std::min({low, row.difference, row.interval ? row.interval->low : 0});
    high = std::max({high, row.difference, row.interval ? row.interval->high : 0});
  }
  return round_range(std::min(low * forest.scale, -1e-9), high * forest.scale);
}

}  // namespace

std::string svg(const Forest& forest) {
  const AxisRange range = range_of(forest);
  const double height = kTop + kRow * static_cast<double>(forest.rows.size()) + kBottom;
  const double bottom = height - kBottom;
  const auto px = [&](double value) {
    return kNames + (value - range.low) / (range.high - range.low) * (kWidth - kNames - kRight);
  };
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\" font-size=\"12\" "
      "fill=\"currentColor\">\n",
      kWidth, height, xml_escape(forest.title));
  const auto to = std::back_inserter(out);
  const std::vector<AxisTick> ticks = axis_ticks(range);
  // Every second of many; zero is among them.
  const std::size_t step = ticks.size() > 6 ? 2 : 1;
  const auto size_of = [](const AxisTick& tick) { return std::abs(tick.value); };
  const auto zero = std::ranges::min_element(ticks, {}, size_of) - ticks.begin();
  for (auto i = static_cast<std::size_t>(zero) % step; i < ticks.size(); i += step) {
    const double value = ticks[i].value;
    fmt::format_to(to,
                   "<path class=\"grid\" d=\"M{:.1f} {:g}V{:.1f}\"/><text x=\"{:.1f}\" "
                   "y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                   px(value), kTop, bottom, px(value), bottom + 16, ticks[i].text);
  }
  fmt::format_to(to,
                 "<path d=\"M{:.1f} {:g}V{:.1f}\" stroke=\"currentColor\" "
                 "stroke-width=\"1.2\"/><text x=\"{:.1f}\" y=\"{:.1f}\" "
                 "text-anchor=\"middle\">{}</text>\n",
                 px(0), kTop, bottom, (kNames + kWidth - kRight) / 2, height - 8,
                 xml_escape(forest.x_title));
  for (std::size_t i = 0; i < forest.rows.size(); ++i) {
    const ForestRow& row = forest.rows[i];
    const double y = kTop + kRow * (static_cast<double>(i) + 0.5);
    const auto series = static_cast<std::size_t>(row.method);
    const std::string_view colour = series_colour(series, SvgLook::kPage);
    fmt::format_to(
        to, "<g data-m=\"{}\" class=\"{}\"><title>{}</title><text x=\"{:g}\" y=\"{:g}\">{}</text>",
        row.method, row.part ? "part" : "whole", xml_escape(hint(forest, row)),
        row.part ? 14.0 : 0.0, y + 4,
        xml_escape(fitting(row.name, row.part ? kLongest - 2 : kLongest)));
    if (row.interval) {
      fmt::format_to(to, "<path d=\"M{:.1f} {:g}H{:.1f}\" stroke=\"{}\"/>",
                     px(row.interval->low * forest.scale), y, px(row.interval->high * forest.scale),
                     colour);
    }
    fmt::format_to(to,
                   "<circle cx=\"{:.1f}\" cy=\"{:g}\" r=\"{:g}\" stroke=\"{}\"{}/>"
                   "<text class=\"end\" x=\"{:g}\" y=\"{:g}\">{}</text></g>\n",
                   px(row.difference * forest.scale), y, row.part ? 3.0 : 5.5, colour,
                   row.significant ? fmt::format(" fill=\"{}\"", colour) : "", kWidth, y + 4,
                   signed_text(row.difference * forest.scale));
  }
  return out + "</svg>\n";
}

}  // namespace openworld

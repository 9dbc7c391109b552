#include "openworld/metrics/metric_info.h"

#include <fmt/format.h>

namespace openworld {
namespace {

// The parameters in percent in place of each {} of `pattern`.
std::string fill(std::string_view pattern, const std::array<double, 2>& params) {
  std::string text;
  for (const double param : params) {
    const std::size_t hole = pattern.find("{}");
    if (hole == std::string_view::npos) break;
    text += pattern.substr(0, hole);
    // Fifteen digits undo the rounding of percent / 100 * 100.
    text += fmt::format("{:.15g}", param * 100);
    pattern.remove_prefix(hole + 2);
  }
  return text += pattern;
}

}  // namespace

std::string metric_name(const MetricInfo& info, const std::array<double, 2>& params) {
  return fill(info.name, params);
}

std::string metric_title(const MetricInfo& info, const std::array<double, 2>& params) {
  return fill(info.title, params);
}

}  // namespace openworld

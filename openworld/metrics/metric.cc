#include "openworld/metrics/metric.h"

#include <fmt/format.h>

#include <utility>

namespace openworld {

MetricValue undefined(std::string why) {
  MetricValue value;
  value.why = std::move(why);
  return value;
}

MetricValue fraction(double count, std::int64_t total, std::string_view what) {
  if (total == 0) return undefined(fmt::format("no {}", what));
  return {.value = count / static_cast<double>(total)};
}

Side open_side(const MetricRow& row, const KindCounts& totals, const MetricOptions& options) {
  if (row.open == OpenRule::kNew) return Side::kNew;
  if (options.open) return *options.open;
  const bool new_first = row.open != OpenRule::kUnknownFirst;
  if (new_first)
    return totals.new_samples() > 0 || totals.unknown() == 0 ? Side::kNew : Side::kUnknown;
  return totals.unknown() > 0 || totals.new_samples() == 0 ? Side::kUnknown : Side::kNew;
}

std::string_view side_name(Side side) {
  switch (side) {
    case Side::kBase:
      return "base";
    case Side::kNew:
      return "new";
    case Side::kUnknown:
      return "unknown";
  }
  return "";
}

}  // namespace openworld

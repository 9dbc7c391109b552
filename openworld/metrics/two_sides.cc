#include "openworld/metrics/two_sides.h"

#include <fmt/format.h>

namespace openworld {

std::string TwoSides::missing() const {
  return fmt::format("no {} samples", side_name(base == 0 ? Side::kBase : open));
}

TwoSides two_sides(const MetricRow& row, const Ranking& ranking, const MetricOptions& options) {
  const KindCounts& totals = ranking.totals();
  const Side open = open_side(row, totals, options);
  return {.open = open, .base = totals.base(), .other = totals.open(open)};
}

}  // namespace openworld

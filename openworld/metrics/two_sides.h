#pragma once

// TwoSides: the samples that a detection metric compares, base and one open side, and the reason
// why it is undefined when either is empty.

#include <cstdint>
#include <string>

#include "openworld/metrics/metric.h"

namespace openworld {

struct TwoSides {
  Side open = Side::kNew;
  std::int64_t base = 0;
  std::int64_t other = 0;  // samples of the open side

  bool empty() const { return base == 0 || other == 0; }
  // "no base samples" or "no new samples". REQUIRES: empty().
  std::string missing() const;
};

TwoSides two_sides(const MetricRow& row, const Ranking& ranking, const MetricOptions& options);

}  // namespace openworld

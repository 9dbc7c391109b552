#pragma once

// The value of a metric with its interval, or the reason why it has none.

#include <optional>
#include <string>

#include "openworld/metrics/metric.h"
#include "openworld/stats/interval.h"

namespace openworld {

struct MeasuredValue {
  MetricValue value;
  std::optional<Interval> interval{};
  std::string no_interval{};  // why there is none, when one was asked for
};

}  // namespace openworld

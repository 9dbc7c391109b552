#pragma once

// The table of metrics: every row once, in the order in which they are listed.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/metrics/metric.h"

namespace openworld {

std::span<const MetricRow* const> metric_table();

// A metric with its parameters filled in: fpr_at_90tpr is the row fpr_at_{}tpr with 0.90.
struct MetricRequest {
  const MetricRow* row = nullptr;
  std::array<double, 2> params{};
  std::string name;  // as results are keyed: the row's name with its parameters
};

// Looks a name or alias up. Throws Error naming the nearest known name.
MetricRequest find_metric(std::string_view name);

// A comma-separated list of names; "standard" is the default set, "all" every row. Throws Error.
std::vector<MetricRequest> find_metrics(std::string_view names);

}  // namespace openworld

#pragma once

// Values and differences of measured runs as short texts, for tables of text and of HTML.

#include <optional>
#include <string>

#include "openworld/runs/measured_runs.h"

namespace openworld {

// "3 methods on 2 datasets, 18 runs; seeds 1 to 3".
std::string describe_runs(const RunCollection& runs, const RunComparison& comparison);

// 62.13 or a count; differences with their sign. "-" where undefined.
std::string run_value_text(const MetricRequest& request, const RunMean& mean);
std::string run_difference_text(const MetricRequest& request, double difference);

// The interval of a value or a difference, "" where there is none.
std::string run_reach_text(const MetricRequest& request, const std::optional<Interval>& interval);
std::string run_interval_text(const MetricRequest& request,
                              const std::optional<Interval>& interval);

}  // namespace openworld

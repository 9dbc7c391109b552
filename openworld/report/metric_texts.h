#pragma once

// Measured metrics as short texts, for tables of text and of HTML.

#include <cstddef>
#include <span>
#include <string>

#include "openworld/metrics/evaluate.h"

namespace openworld {

// "P@95R", with its parameters.
std::string metric_result_title(const MetricResult& metric);

// 62.13, or a count; "-" where undefined.
std::string metric_value_text(const MetricResult& metric);

// "[61.02, 63.24]"; "" where there is no interval.
std::string metric_interval_text(const MetricResult& metric);

// " ±1.11", half the width of the interval; "" where there is none, and for counts.
std::string metric_reach_text(const MetricResult& metric);

// Whether no other evaluation has a better value of metric number `metric`.
// REQUIRES: all of the same requests.
bool is_best(std::span<const Evaluation* const> all, std::size_t evaluation, std::size_t metric);

}  // namespace openworld

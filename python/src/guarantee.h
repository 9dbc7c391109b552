#pragma once

// Thresholds with guarantees as plain Python objects.

#include <pybind11/pybind11.h>

#include "openworld/runs/run_threshold.h"

namespace openworld::python {

pybind11::dict to_dict(const ChosenThresholds& chosen);

// `max_unknown` is None or a number.
ThresholdRequest threshold_request(double max_miss, double confidence,
                                   const std::optional<double>& max_unknown, std::int64_t next);

}  // namespace openworld::python

#pragma once

#include "openworld/metrics/metric.h"

namespace openworld::python {

// Whether the metric reads Outcomes::correct. Its row does not say; runs over eight samples with
// different flags do.
bool reads_correct(const MetricRow& row);

}  // namespace openworld::python

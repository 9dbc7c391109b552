#pragma once

#include "openworld/metrics/metric.h"

namespace openworld::python {

// Whether a metric of the table reads Outcomes::correct. Its row does not say; runs over eight
// samples with different flags, made once, do.
bool reads_correct(const MetricRow& row);

}  // namespace openworld::python

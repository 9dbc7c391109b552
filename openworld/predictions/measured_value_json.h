#pragma once

// A metric with its interval, as results of open-set tests and of detections store it.

#include <nlohmann/json_fwd.hpp>

#include "openworld/metrics/measured_value.h"

namespace openworld {

// {"value":, "interval":, "why":}: value is null where it is undefined and `why` says why, else
// `why` is null. With "no_interval" where an interval was asked for and there is none.
nlohmann::ordered_json measured_value_json(const MeasuredValue& measured);

}  // namespace openworld

#pragma once

// Thresholds with a guarantee, chosen on predictions and set for runs.

#include <string>
#include <string_view>

#include "openworld/analysis/threshold.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

// The highest threshold with that guarantee on predictions that `source` names. Throws Error as
// [function] if there are no base samples, or if no threshold has the guarantee.
GuaranteedThreshold require_threshold(const Predictions& predictions, const MissLimit& limit,
                                      const std::string& source, std::string_view function);

// The same of a finished run, written to its threshold.json.
GuaranteedThreshold set_run_threshold(const std::string& folder, const MissLimit& limit,
                                      std::string_view function);

}  // namespace openworld

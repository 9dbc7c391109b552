#pragma once

// Thresholds with a guarantee, chosen on predictions and set for runs.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/analysis/threshold.h"
#include "openworld/analysis/unknown_threshold.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

// r and fit of samples, one of each.
struct SampleScores {
  std::vector<double> r, fit;
};

struct ThresholdRequest {
  MissLimit limit{};
  std::optional<double> max_unknown{};  // of listed samples; none: no threshold for unknown ones
  std::int64_t next = 0;                // samples of a batch to come; 0: no promise about one
  SampleScores unknown{};               // further samples that are on no list

  UnknownLimit unknown_limit() const { return {max_unknown.value_or(0), limit.confidence}; }
};

struct ChosenThresholds {
  GuaranteedThreshold base;
  std::optional<UnknownThreshold> unknown{};  // where it was asked for
};

// The highest thresholds with these guarantees. `fit` is of the predictions' samples, and may be
// empty if no threshold for unknown samples is asked for. Either may be refused (granted()). Throws
// Error as [function] if there are no base samples, and for a request that cannot be met by any
// samples; `source` names the predictions.
ChosenThresholds choose_thresholds(const Predictions& predictions, std::span<const double> fit,
                                   const ThresholdRequest& request, const std::string& source,
                                   std::string_view function);

// The same of a prediction file, for which a refusal is an Error too.
ChosenThresholds require_thresholds(const std::string& path, const ThresholdRequest& request,
                                    const std::string& source, std::string_view function);

// The same of a finished run, written to its threshold.json.
ChosenThresholds set_run_threshold(const std::string& folder, const ThresholdRequest& request,
                                   std::string_view function);

}  // namespace openworld

#pragma once

// threshold.json: the thresholds that `openworld threshold` sets for a run and `predict` applies;
// schema "openworld.threshold/3". The one writer and the one reader. Files of /2, with a threshold
// on r alone, are read too.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "openworld/io/origin.h"
#include "openworld/runs/run_threshold.h"

namespace openworld {

// What predict needs of it.
struct StoredUnknown {
  double value = 0;  // of those that are not base, unknown if fit <= value
  double max_unknown = 0;
  double confidence = 0;
};

struct StoredThreshold {
  double value = 0;  // base if r > value
  double max_miss = 0;
  double confidence = 0;
  std::optional<StoredUnknown> unknown{};
};

// `source` is where the predictions came from.
nlohmann::ordered_json threshold_json(const ChosenThresholds& chosen, const std::string& source);

// None if the file is not there. Throws Error.
std::optional<StoredThreshold> read_threshold(const Origin& origin);

}  // namespace openworld

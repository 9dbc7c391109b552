#pragma once

// threshold.json: the threshold on r that `openworld threshold` sets for a run and `predict`
// applies; schema "openworld.threshold/2". The one writer and the one reader.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "openworld/analysis/threshold.h"
#include "openworld/io/origin.h"

namespace openworld {

// What predict needs of it.
struct StoredThreshold {
  double value = 0;  // base if r > value
  double max_miss = 0;
  double confidence = 0;
};

// `source` is where the predictions came from.
nlohmann::ordered_json threshold_json(const GuaranteedThreshold& threshold, const MissLimit& limit,
                                      const std::string& source);

// None if the file is not there. Throws Error.
std::optional<StoredThreshold> read_threshold(const Origin& origin);

}  // namespace openworld

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "openworld/stats/interval.h"

namespace openworld {

// {"low":, "high":, "level":, "method":}, or null.
nlohmann::ordered_json interval_json(const std::optional<Interval>& interval);

}  // namespace openworld

#pragma once

// An interval as results store it: one writer and one reader of its JSON.

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "openworld/stats/interval.h"

namespace openworld {

class JsonFields;

// {"low":, "high":, "level":, "method":}, or null.
nlohmann::ordered_json interval_json(const std::optional<Interval>& interval);

// The interval under `key`, none if it is absent or null. Throws Error unless low <= high, level is
// between 0 and 1 and the method is one of those that this version writes.
std::optional<Interval> read_interval(const JsonFields& fields, std::string_view key);

}  // namespace openworld

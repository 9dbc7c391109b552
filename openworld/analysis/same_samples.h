#pragma once

// Paired comparisons need the same samples in the same order.

#include <string_view>

#include "openworld/metrics/outcomes.h"

namespace openworld {

// Throws Error unless both have the same sides, row by row, and the same labels where both have
// them. The message starts with [function] and calls the two by their names.
void check_same_samples(std::string_view function, const Outcomes& a, const Outcomes& b,
                        std::string_view name_a, std::string_view name_b);

}  // namespace openworld

#pragma once

// Spelling suggestions for error messages.

#include <span>
#include <string>
#include <string_view>

namespace openworld {

// The name in `known` with the smallest edit distance to `name`; the first one on ties.
// REQUIRES: `known` is not empty.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace openworld

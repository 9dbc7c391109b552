#pragma once

// The name that somebody meant who wrote another.

#include <span>
#include <string>
#include <string_view>

namespace openworld {

// The one of `known` that takes the fewest letters put in, left out or changed; the first of
// several. REQUIRES: `known` is not empty.
std::string nearest_name(std::string_view name, std::span<const std::string> known);

}  // namespace openworld

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// "1-3,7" as 1, 2, 3, 7. Throws Error as [function] for anything else, for a seed twice, and for
// more than 10,000.
std::vector<std::uint64_t> parse_seed_list(const std::string& text, std::string_view function);

}  // namespace openworld

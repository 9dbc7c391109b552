#pragma once

#include <string>
#include <vector>

namespace openworld {

// Short names for tables: the file name without its ending, or the whole path where two would be
// the same.
std::vector<std::string> short_names(const std::vector<std::string>& paths);

}  // namespace openworld

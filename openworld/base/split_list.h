#pragma once

// Lists in one text: "chalk,crayon".

#include <string>
#include <string_view>
#include <vector>

namespace openworld {

// The parts between separators, as they are; none of "".
std::vector<std::string> split_list(std::string_view list, char separator = ',');

}  // namespace openworld

#pragma once

#include <string>

namespace openworld {

// The text as one line: line breaks and escape codes, which file names may contain, become
// spaces.
std::string one_line(std::string text);

}  // namespace openworld

#pragma once

#include <string>

namespace openworld {

// The text as one line whatever file names it holds: a line break or an escape code becomes a
// space.
std::string one_line(std::string text);

}  // namespace openworld

#pragma once

#include <cstddef>
#include <string>

namespace openworld {

// The mark of a series in tables and legends of a page: a piece of its line.
std::string swatch(std::size_t series);

}  // namespace openworld

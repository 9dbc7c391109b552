#pragma once

// Text files of one item on each line.

#include <string>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

enum class EmptyLines { kDrop, kKeep };

// The lines without line ends and a byte order mark. Throws Error, also for more lines than
// memory_limit.h allows.
std::vector<std::string> read_text_lines(const Origin& origin,
                                         EmptyLines empty = EmptyLines::kDrop);

}  // namespace openworld

#pragma once

// Names of shards: "data-{000..003}.tar" is four files.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

// Expands every {first..last} (numbers; zeros in front keep the width) and {a,b,c}, from left to
// right. Without braces, the pattern itself. Throws Error for braces that make no sense and for
// more than 100,000 names.
std::vector<std::string> expand_braces(std::string_view pattern, const Origin& origin);

// Sorts so that "2.tar" comes before "10.tar": runs of digits compare as numbers.
void sort_naturally(std::vector<std::string>* names);

}  // namespace openworld

#pragma once

// Class names as prompts read them.

#include <string>
#include <string_view>

namespace openworld {

// In ASCII lower case, with single spaces for underscores and white space: names that are the same
// here give the same prompts.
std::string plain_name(std::string_view name);

}  // namespace openworld

#pragma once

// What people name by mistake: files that are recognised by their first bytes only to be refused.

#include <string_view>

namespace openworld {

// "a JPEG image", or "" for what is not in the table. A few bytes are enough.
std::string_view foreign_kind(std::string_view start);

}  // namespace openworld

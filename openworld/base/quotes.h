#pragma once

// Untrusted text, escaped for use in a message.

#include <string>
#include <string_view>

namespace openworld {

// In double quotes, one line, printable ASCII (other bytes as \xNN) and cut after 60 characters.
std::string in_quotes(std::string_view text);

}  // namespace openworld

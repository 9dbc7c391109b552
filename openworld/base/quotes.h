#pragma once

// Untrusted text, escaped so that a terminal shows it instead of obeying it.

#include <string>
#include <string_view>

namespace openworld {

// In double quotes, one line, printable ASCII (other bytes as \xNN) and cut after 60 characters.
std::string in_quotes(std::string_view text);

// The text with control characters as \xNN: C0 except newline and tab, DEL, and C1 (U+0080 to
// U+009F, also as single bytes that are not part of a UTF-8 sequence). Everything else stays.
std::string printable(std::string_view text);

// The same for a text of one line: newlines and tabs are escaped too.
std::string printable_line(std::string_view text);

}  // namespace openworld

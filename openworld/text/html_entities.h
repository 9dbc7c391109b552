#pragma once

// HTML character references, resolved as Python's html.unescape does.
//
// Differs from a browser in the same ways: the longest name that starts the reference wins also
// without its semicolon ("&notit;" is "¬it;"), and references to control characters and
// noncharacters vanish. One difference from Python: a number of any length past U+10FFFF becomes
// U+FFFD, where Python 3.11 raises for more than 4300 digits.

#include <string>
#include <string_view>

namespace openworld {

std::u32string unescape_html(std::u32string_view text);

// name=hex+hex,name~hex,...: sorted names without their semicolon and the code points they stand
// for. Names with ~ are also known without the semicolon.
extern const char kHtmlEntities[];

}  // namespace openworld

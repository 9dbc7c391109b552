#pragma once

// Conversions between UTF-8, used for text in memory, and UCS-4, used by NumPy's U arrays.

#include <optional>
#include <string>
#include <string_view>

namespace openworld {

// The code points of `text`; nothing if it is not valid UTF-8 (RFC 3629: no overlong forms, no
// surrogates, nothing past U+10FFFF).
std::optional<std::u32string> decode_utf8(std::string_view text);

// The UTF-8 of `points`; nothing if one of them is a surrogate or past U+10FFFF.
std::optional<std::string> encode_utf8(std::u32string_view points);

// The text after the byte order mark that some editors put in front.
std::string_view without_byte_order_mark(std::string_view text);

// The text with U+FFFD for what is not UTF-8: one for each longest start of a sequence that cannot
// go on, as Unicode recommends and Python's errors="replace" does.
std::string replace_invalid_utf8(std::string_view text);

}  // namespace openworld

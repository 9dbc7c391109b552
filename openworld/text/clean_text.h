#pragma once

// Text cleaning of CLIP's tokenizer: what openai/CLIP does before it splits words.
//
// In this order: HTML character references resolved, twice; runs of white space (Unicode's
// White_Space) made one space; both ends stripped as Python's str.strip does, which also takes
// U+001C to U+001F; lower case. The reference repairs mojibake with ftfy first; that step is left
// out: it changes no printable ASCII text, but it does straighten curly quotes, expand ligatures,
// narrow full-width letters, apply NFC and drop control characters.

#include <string>
#include <string_view>

#include "openworld/io/origin.h"

namespace openworld {

// Linear in the text. Throws Error if `text` is not valid UTF-8.
std::string clean_text(std::string_view text, const Origin& origin = {"clean_text", ""});

}  // namespace openworld

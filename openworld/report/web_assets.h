#pragma once

// The style and the script of pages, from web/*.mjs and web/page.css by web/bundle.py.

#include <string_view>

namespace openworld {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

}  // namespace openworld

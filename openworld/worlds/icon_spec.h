#pragma once

// A dataset of Icons by its name: icons:NAME@STYLE, as in icons:animals@game.

#include <optional>
#include <string>
#include <string_view>

#include "openworld/io/origin.h"
#include "openworld/worlds/icons.h"

namespace openworld {

struct IconSpec {
  const IconTheme* theme;
  std::optional<std::size_t> style;  // pictures of that style only; all by default

  // "icons:animals", "icons:all@game".
  std::string text() const;
};

// Whether the text starts as one: "icons" with nothing, : or @ after it.
bool is_icon_spec(std::string_view text);

// Parses origin.file. Both parts may be left out: icons is icons:all. Throws Error that lists the
// known names.
IconSpec parse_icon_spec(const Origin& origin);

}  // namespace openworld

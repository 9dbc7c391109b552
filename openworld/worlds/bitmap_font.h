#pragma once

// Words in pictures: letters of 5 x 7 pixels and two rows below the line.

#include <cstdint>
#include <string_view>

#include "openworld/images/image.h"

namespace openworld {

// In pixels; `scale` is the side of a dot.
int text_width(std::string_view text, int scale);
int text_height(int scale);

// Writes with the upper left corner there; what lies beyond the image is cut off. Letters, digits
// and the punctuation of names; anything else is a box.
void write_text(Image* image, int left, int top, std::string_view text, int scale,
                std::uint8_t grey);

}  // namespace openworld

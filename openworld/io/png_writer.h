#pragma once

// PNG files of 8-bit RGB (ISO/IEC 15948), as small as zlib makes them or as they are.

#include <cstdint>
#include <span>
#include <string>

namespace openworld {

enum class PngCompression {
  kStored,    // the same bytes with any zlib, 3 a pixel: for what is hashed
  kDeflated,  // for people to keep
};

// Pixels left to right, rows top to bottom. REQUIRES: width, height > 0; 3 * width * height values.
std::string make_png(int width, int height, std::span<const std::uint8_t> rgb,
                     PngCompression compression);

}  // namespace openworld

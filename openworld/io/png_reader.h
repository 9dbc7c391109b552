#pragma once

// PNG files of 8-bit grey or RGB, with or without alpha, not interlaced: what sheets of small
// images are stored in. Any other PNG is for images/decode.h; this one needs zlib alone, so that
// the layers that open datasets load no codec. Alpha is dropped. Checksums are checked.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "openworld/io/origin.h"

namespace openworld {

struct PngHeader {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 0;  // 1 grey, 2 with alpha, 3 RGB, 4 with alpha
};

// Of the file whose start `bytes` are. Throws Error for what is not such a PNG.
PngHeader read_png_header(std::span<const std::byte> bytes, const Origin& origin);

// The pixels as RGB, rows top to bottom. Memory is requested for the size in the header before it
// is allocated. Throws Error for a damaged file.
std::vector<std::uint8_t> read_png_rgb(std::span<const std::byte> bytes, const Origin& origin);

}  // namespace openworld

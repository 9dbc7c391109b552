#pragma once

// Image files to pixels, with the bits that Pillow 9.4 gives for Image.open(f).convert("RGB"): what
// the published CLIP results were computed from.
//
//   JPEG  baseline and progressive; grey, YCbCr, RGB, CMYK and YCCK (inverted, as Adobe writes it)
//   PNG   all colour types and depths, interlaced or not
//   WebP  lossy and lossless; of an animation the first frame
//
// As there, alpha is dropped, not blended, and the EXIF orientation is not applied.
//
// Truncated files are refused, and so are corrupt ones where the format allows a check: JPEG has no
// checksum, and where its decoder continues with a warning, so does this. PNG is read more
// strictly than by Pillow, which ignores the checksums of pixel data.

#include <cstddef>
#include <cstdint>
#include <span>

#include "openworld/images/image.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/origin.h"

namespace openworld {

// The pixels of the file `bytes`, whose format its first bytes tell. Throws Error, also for more
// than `max_pixels`, which is checked on the header, before memory is spent.
Image decode_image(std::span<const std::byte> bytes, const Origin& origin,
                   std::int64_t max_pixels = pixel_limit());

}  // namespace openworld

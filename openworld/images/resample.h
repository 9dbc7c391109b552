#pragma once

// Resizing with the bits of Pillow's Image.resize, which the published CLIP results were computed
// with.
//
// Two passes, rows first. A result pixel is a weighted mean of the pixels around its centre in the
// source; where the image shrinks, the kernel is stretched by the factor of shrinking, so that
// every source pixel counts. Weights are integers of 22 fractional bits, and both passes round to 8
// bits. Time: O(taps) per pixel of a pass, taps = 4 * max(1, factor of shrinking) for bicubic.

#include <cstdint>
#include <optional>

#include "openworld/images/image.h"

namespace openworld {

enum class Filter {
  kBilinear,  // the triangle
  kBicubic,   // Keys' cubic with a = -0.5
};

// The rectangle of the source that becomes the result, in pixels, fractions allowed. Pixels around
// it are still read where the kernel reaches them.
struct Box {
  float left = 0;
  float top = 0;
  float right = 0;
  float bottom = 0;
};

struct ResizeOptions {
  std::int64_t width = 0;
  std::int64_t height = 0;
  Filter filter = Filter::kBicubic;
  // Default: the whole source.
  std::optional<Box> box = std::nullopt;
  // The only pixels of the result to compute. Default: all.
  std::optional<Rect> part = std::nullopt;
};

// The part of `image` resized to width x height. Throws Error for sizes below one, a box that is
// empty or not within the source, and a part that is empty or not within the result.
Image resize(const ImageView& image, const ResizeOptions& options);

}  // namespace openworld

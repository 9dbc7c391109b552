#pragma once

// Small affine changes of an image: rotated, stretched, sheared and shifted about its centre, as a
// hand would draw it another time.

#include <cstdint>

#include "openworld/base/random.h"
#include "openworld/images/image.h"

namespace openworld {

// Each number is drawn uniformly between its bounds.
struct AffineRange {
  double rotate = 15;   // degrees, either way
  double low = 0.8;     // factors of the size, one each for width and height ...
  double high = 1.1;    // ... drawn with their logarithms uniform
  double shear = 10;    // degrees, either way
  double shift = 0.08;  // of the side, either way
  double flip = 0.5;    // probability that left and right change places

  bool operator==(const AffineRange&) const = default;
};

// Where a point of the result comes from, both relative to the centres of their images and in
// pixels: source = matrix * target + shift.
struct AffineMap {
  double xx = 1, xy = 0, yx = 0, yy = 1;
  double x = 0, y = 0;
};

// The inverse of: flip, stretch, shear, rotate, shift.
AffineMap draw_affine(const AffineRange& range, int width, int height, Random& random);

// An image of the same size, sampled bilinearly. What lies outside has the colour of the image's
// border: per channel the median of the outermost pixels, so that paper stays paper.
Image warp(const ImageView& image, const AffineMap& map);

}  // namespace openworld

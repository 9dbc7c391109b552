#pragma once

// Small changes of an image, as if a hand drew it another time: rotated, stretched, sheared and
// shifted about its centre, a little bent and warped (elastic distortion; Simard et al., 2003), and
// a part of it covered (random erasing; Zhong et al., 2017).

#include <array>
#include <cstdint>

#include "openworld/base/random.h"
#include "openworld/images/image.h"

namespace openworld {

// Each number is drawn uniformly between its bounds.
struct RedrawRange {
  double rotate = 15;   // degrees, either way
  double low = 0.8;     // factors of the size, one each for width and height ...
  double high = 1.1;    // ... drawn with their logarithms uniform
  double shear = 10;    // degrees, either way
  double shift = 0.08;  // of the side, either way
  double flip = 0.5;    // probability that left and right change places
  double bend = 0;      // of the side: how far points on a coarse grid move, either way
  double cover = 0;     // probability that a rectangle gets the colour of the border
  double warp = 0;      // of the side: how far the control points of a fine grid move, either way

  bool operator==(const RedrawRange&) const = default;
};

// Where a point of the result comes from, both relative to the centres of their images and in
// pixels: source = matrix * target + shift.
struct AffineMap {
  double xx = 1, xy = 0, yx = 0, yy = 1;
  double x = 0, y = 0;
};

// Displacements of the source, in pixels, at the nodes of a grid over the image; bilinear between.
struct Bend {
  static constexpr int kNodes = 5;  // a side
  std::array<double, kNodes * kNodes> x{}, y{};
};

// Displacements of the source, in pixels: a uniform cubic B-spline over kCells x kCells cells, as
// smooth as a hand moves. Of control points that move by up to a, a point of the image moves by
// about 0.3 a (root mean square), and over shorter distances than by a Bend.
struct Warp {
  static constexpr int kCells = 8;            // a side
  static constexpr int kPoints = kCells + 3;  // a side
  std::array<double, kPoints * kPoints> x{}, y{};
};

struct Redrawing {
  AffineMap map;
  Bend bend;
  Rect cover;  // of the result; empty for none
  Warp warp = {};
};

// The map is the inverse of: flip, stretch, shear, rotate, shift. The cover has a tenth to a
// quarter of the area.
Redrawing draw_redrawing(const RedrawRange& range, int width, int height, Random& random);

// An image of the same size, sampled bilinearly. What lies outside has the colour of the image's
// border: per channel the median of the outermost pixels, so that paper stays paper.
Image redraw(const ImageView& image, const Redrawing& redrawing);

}  // namespace openworld

#pragma once

// Changes of what an image is drawn with: areas become outlines, lines thicker or thinner, ink and
// paper other colours. For drawings of dark ink on light paper, such as icons; with redraw.h, which
// changes shapes, one drawing stands for many that show the same.
//
//   Random random(seed, index);
//   const Redrawing shape = draw_redrawing(redraw_range, image.width, image.height, random);
//   const LineArt art = draw_line_art(range, random);
//   const Image other = redraw_lines(image, art, shape);
//
// Integer arithmetic throughout: equal bytes on every machine. All of it together takes about
// 0.1 ms for 48 x 48 pixels.

#include <array>
#include <cstdint>

#include "openworld/base/random.h"
#include "openworld/images/image.h"
#include "openworld/images/redraw.h"

namespace openworld {

// Nothing changes by default.
struct LineArtRange {
  double grey = 0;      // probability that colours become greys
  double outline = 0;   // probability that areas become their outlines
  double ink = 0;       // pixels by which lines grow at most; they shrink by at most half of it
  double contrast = 0;  // share by which ink gets stronger or weaker at most
  double tint = 0;      // probability of coloured ink on coloured paper
  double invert = 0;    // probability of light ink on dark paper

  bool operator==(const LineArtRange&) const = default;
};

enum class Outline {
  kNone,
  kThin,   // the change from a pixel to the next: lines of 1 pixel
  kThick,  // the change among neighbours: lines of 2 pixels
};

struct LineArt {
  bool grey = false;
  Outline outline = Outline::kNone;
  int pen = 0;         // by how much lines grow on each side, in 1/256 of a pixel
  int contrast = 256;  // the strength of ink, 256 as it is
  std::array<std::uint8_t, 3> ink = {0, 0, 0};          // what black becomes
  std::array<std::uint8_t, 3> paper = {255, 255, 255};  // what white becomes
  bool invert = false;

  bool operator==(const LineArt&) const = default;
};

LineArt draw_line_art(const LineArtRange& range, Random& random);

// The edges of dark areas, dark on white; beyond the border there is white paper.
Image draw_outline(const ImageView& image, Outline outline);

// Lines that grow by `pen` / 256 pixels on each side, or shrink: whole pixels by the darkest or
// lightest of a pixel and its four neighbours, a fraction by a mean of the pixels before and after.
Image draw_with_pen(const ImageView& image, int pen);

// In this order: greys, outlines, the change of shape, the pen, contrast, ink and paper, inversion.
// Without any of it but the shape it is redraw().
Image redraw_lines(const ImageView& image, const LineArt& art, const Redrawing& shape);

}  // namespace openworld

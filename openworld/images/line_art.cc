#include "openworld/images/line_art.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace openworld {
namespace {

// Of the outlines; most drawings have thin lines.
constexpr double kThinShare = 0.6;

// Largest values of a coloured ink and distance of a coloured paper from white, so that they stay
// apart: at worst 178 on 179.
constexpr std::uint64_t kInkValues = 179, kPaperValues = 77;

constexpr std::uint8_t kWhite = 255;

Image copy_of(const ImageView& image) {
  Image copy = make_image(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    std::copy_n(image.row(y), 3 * image.width,
                &copy.rgb[static_cast<std::size_t>(3 * image.width) * static_cast<std::size_t>(y)]);
  }
  return copy;
}

// Greys of one byte a pixel with a frame of white paper around them.
class GreyPlane {
 public:
  explicit GreyPlane(const ImageView& image)
      : width_(image.width + 2),
        values_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(image.height + 2),
                kWhite) {
    for (int y = 0; y < image.height; ++y) {
      const std::uint8_t* from = image.row(y);
      std::uint8_t* const to = &values_[place(y)];
      for (int x = 0; x < image.width; ++x, from += 3) to[x] = grey_of(from);
    }
  }

  // The weights of ITU-R BT.601, which sum to 256.
  static std::uint8_t grey_of(const std::uint8_t* rgb) {
    return static_cast<std::uint8_t>((77 * rgb[0] + 150 * rgb[1] + 29 * rgb[2] + 128) >> 8);
  }

  // Row y from -1 to the height; its pixels go from -1 to the width.
  const std::uint8_t* row(int y) const { return &values_[place(y)]; }

 private:
  std::size_t place(int y) const {
    return static_cast<std::size_t>(width_) * static_cast<std::size_t>(y + 1) + 1;
  }

  int width_;
  std::vector<std::uint8_t> values_;
};

// Largest minus smallest of rows [first, last] at columns [x - left, x + 1], as ink on white: a
// third stronger, since the edges of small images are soft.
void draw_edges(const GreyPlane& plane, int y, int first, int left, int width, std::uint8_t* rgb) {
  for (int x = 0; x < width; ++x, rgb += 3) {
    std::uint8_t low = 255, high = 0;
    for (int v = y + first; v <= y + 1; ++v) {
      const std::uint8_t* const row = plane.row(v);
      for (int u = x - left; u <= x + 1; ++u) {
        low = std::min(low, row[u]);
        high = std::max(high, row[u]);
      }
    }
    const int ink = std::min(255, (high - low) * 4 / 3);
    std::fill_n(rgb, 3, static_cast<std::uint8_t>(255 - ink));
  }
}

// Of a pixel and its four neighbours; there are none beyond the border.
template <class Choose>
Image choose_neighbours(const Image& image, const Choose& choose) {
  Image result = image;
  const auto width = static_cast<std::size_t>(3 * image.width);
  const auto height = static_cast<std::size_t>(image.height);
  for (std::size_t y = 0; y < height; ++y) {
    const std::uint8_t* const from = &image.rgb[y * width];
    std::uint8_t* const to = &result.rgb[y * width];
    for (std::size_t i = 3; i < width; ++i) to[i] = choose(to[i], from[i - 3]);
    for (std::size_t i = 0; i + 3 < width; ++i) to[i] = choose(to[i], from[i + 3]);
    if (y > 0) {
      for (std::size_t i = 0; i < width; ++i) to[i] = choose(to[i], from[i - width]);
    }
    if (y + 1 < height) {
      for (std::size_t i = 0; i < width; ++i) to[i] = choose(to[i], from[i + width]);
    }
  }
  return result;
}

Image grown(const Image& image, bool darker) {
  const auto dark = [](std::uint8_t a, std::uint8_t b) { return std::min(a, b); };
  const auto light = [](std::uint8_t a, std::uint8_t b) { return std::max(a, b); };
  return darker ? choose_neighbours(image, dark) : choose_neighbours(image, light);
}

void grow_lines(Image& image, int pen) {
  int left = std::abs(pen);
  for (; left >= 256; left -= 256) image = grown(image, pen > 0);
  if (left == 0) return;
  const Image more = grown(image, pen > 0);
  for (std::size_t i = 0; i < image.rgb.size(); ++i) {
    const int value = image.rgb[i] * (256 - left) + more.rgb[i] * left + 128;
    image.rgb[i] = static_cast<std::uint8_t>(value >> 8);
  }
}

// What a value of a channel becomes.
std::array<std::uint8_t, 256> values_of(const LineArt& art, std::size_t channel) {
  std::array<std::uint8_t, 256> values{};
  for (int v = 0; v < 256; ++v) {
    int value = 255 - std::min(255, (255 - v) * art.contrast / 256);
    const int ink = art.ink[channel], paper = art.paper[channel];
    value = ink + ((paper - ink) * value + 127) / 255;
    values[static_cast<std::size_t>(v)] =
        static_cast<std::uint8_t>(art.invert ? 255 - value : value);
  }
  return values;
}

void recolour(Image& image, const LineArt& art) {
  LineArt colours;  // as they are
  colours.contrast = art.contrast;
  colours.ink = art.ink;
  colours.paper = art.paper;
  colours.invert = art.invert;
  if (colours == LineArt{}) return;
  for (std::size_t c = 0; c < 3; ++c) {
    const std::array<std::uint8_t, 256> values = values_of(art, c);
    for (std::size_t i = c; i < image.rgb.size(); i += 3) image.rgb[i] = values[image.rgb[i]];
  }
}

void make_grey(Image& image) {
  for (std::size_t i = 0; i + 2 < image.rgb.size(); i += 3) {
    std::fill_n(&image.rgb[i], 3, GreyPlane::grey_of(&image.rgb[i]));
  }
}

}  // namespace

LineArt draw_line_art(const LineArtRange& range, Random& random) {
  const auto chance = [&](double probability) { return random.uniform() < probability; };
  LineArt art;
  art.grey = chance(range.grey);
  const bool outline = chance(range.outline), thin = chance(kThinShare);
  if (outline) art.outline = thin ? Outline::kThin : Outline::kThick;
  art.pen = static_cast<int>(std::lround(256 * range.ink * (1.5 * random.uniform() - 0.5)));
  const double strength = 1 + range.contrast * (2 * random.uniform() - 1);
  art.contrast = static_cast<int>(std::lround(256 * strength));
  if (chance(range.tint)) {
    for (std::uint8_t& ink : art.ink) ink = static_cast<std::uint8_t>(random.below(kInkValues));
    for (std::uint8_t& paper : art.paper) {
      paper = static_cast<std::uint8_t>(255 - random.below(kPaperValues));
    }
  }
  art.invert = chance(range.invert);
  return art;
}

Image draw_outline(const ImageView& image, Outline outline) {
  if (outline == Outline::kNone) return copy_of(image);
  const GreyPlane plane(image);
  Image result = make_image(image.width, image.height);
  const int before = outline == Outline::kThin ? 0 : 1;
  for (int y = 0; y < image.height; ++y) {
    std::uint8_t* const to = result.rgb.data() + std::ptrdiff_t{3} * image.width * y;
    draw_edges(plane, y, -before, before, image.width, to);
  }
  return result;
}

Image draw_with_pen(const ImageView& image, int pen) {
  Image result = copy_of(image);
  grow_lines(result, pen);
  return result;
}

Image redraw_lines(const ImageView& image, const LineArt& art, const Redrawing& shape) {
  const bool changes_before = art.grey || art.outline != Outline::kNone;
  Image before;
  if (changes_before) {
    before = draw_outline(image, art.outline);
    if (art.grey && art.outline == Outline::kNone) make_grey(before);
  }
  Image result = redraw(changes_before ? ImageView(before) : image, shape);
  grow_lines(result, art.pen);
  recolour(result, art);
  return result;
}

}  // namespace openworld

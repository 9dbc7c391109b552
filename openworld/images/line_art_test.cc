#include "openworld/images/line_art.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace openworld {
namespace {

Image random_image(int width, int height, std::uint64_t seed) {
  Image image = make_image(width, height);
  Random random(seed);
  for (std::uint8_t& value : image.rgb) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

// White, with a black square of `side` pixels in the middle.
Image square(int size, int side) {
  Image image = make_image(size, size);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      const int from = (size - side) / 2, to = from + side;
      const bool inside = x >= from && x < to && y >= from && y < to;
      std::fill_n(&image.rgb[static_cast<std::size_t>(3 * (y * size + x))], 3,
                  static_cast<std::uint8_t>(inside ? 0 : 255));
    }
  }
  return image;
}

int red(const Image& image, int x, int y) {
  return image.rgb[static_cast<std::size_t>(3 * (y * image.width + x))];
}

// In pixels of black.
double ink(const Image& image) {
  double sum = 0;
  for (const std::uint8_t value : image.rgb) sum += (255 - value) / 255.0 / 3;
  return sum;
}

TEST(LineArt, NothingAskedNothingDone) {
  const Image image = random_image(23, 17, 1);
  Random random(2);
  EXPECT_EQ(draw_line_art({}, random), LineArt{});
  EXPECT_EQ(redraw_lines(image, {}, {}).rgb, image.rgb);
}

TEST(LineArt, WithoutItTheShapeChangesAsInRedraw) {
  const Image image = random_image(31, 20, 3);
  Random random(4);
  const Redrawing shape = draw_redrawing({.bend = 0.05, .warp = 0.03}, 31, 20, random);
  EXPECT_EQ(redraw_lines(image, {}, shape).rgb, redraw(image, shape).rgb);
}

TEST(DrawOutline, HollowsAreas) {
  const Image image = square(20, 10);  // from 5 to 14
  const Image thick = draw_outline(image, Outline::kThick);
  const Image thin = draw_outline(image, Outline::kThin);
  EXPECT_EQ(red(thick, 10, 10), 255);
  EXPECT_EQ(red(thin, 10, 10), 255);
  EXPECT_EQ(red(thick, 1, 1), 255);
  // Pixels on both sides of an edge, or before it.
  EXPECT_EQ(red(thick, 4, 10), 0);
  EXPECT_EQ(red(thick, 5, 10), 0);
  EXPECT_EQ(red(thin, 4, 10), 0);
  EXPECT_EQ(red(thin, 5, 10), 255);
  EXPECT_NEAR(ink(thick), 12 * 12 - 8 * 8, 1e-9);
  EXPECT_NEAR(ink(thin), 11 * 11 - 9 * 9, 1e-9);
  EXPECT_EQ(draw_outline(image, Outline::kNone).rgb, image.rgb);
}

// By the definition, pixel by pixel.
TEST(DrawOutline, IsTheLargestChangeAmongNeighbours) {
  const Image image = random_image(11, 9, 5);
  const auto grey = [&](int x, int y) {
    if (x < 0 || y < 0 || x >= 11 || y >= 9) return 255;
    const std::uint8_t* const p = &image.rgb[static_cast<std::size_t>(3 * (y * 11 + x))];
    return (77 * p[0] + 150 * p[1] + 29 * p[2] + 128) / 256;
  };
  const Image thick = draw_outline(image, Outline::kThick);
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 11; ++x) {
      int low = 255, high = 0;
      for (int k = 0; k < 9; ++k) {
        low = std::min(low, grey(x + k % 3 - 1, y + k / 3 - 1));
        high = std::max(high, grey(x + k % 3 - 1, y + k / 3 - 1));
      }
      EXPECT_EQ(red(thick, x, y), 255 - std::min(255, (high - low) * 4 / 3)) << x << " " << y;
    }
  }
}

TEST(DrawWithPen, LinesGrowAndShrink) {
  const Image image = square(20, 6);
  EXPECT_EQ(draw_with_pen(image, 0).rgb, image.rgb);
  EXPECT_NEAR(ink(draw_with_pen(image, 256)), 36 + 4 * 6, 1e-9);  // a row on every side
  EXPECT_NEAR(ink(draw_with_pen(image, -256)), 16, 1e-9);         // one less on every side
  EXPECT_NEAR(ink(draw_with_pen(image, 128)), 36 + 12, 0.2);
  EXPECT_NEAR(ink(draw_with_pen(image, -64)), 36 - 5, 0.2);
  EXPECT_GT(ink(draw_with_pen(image, 300)), 60);
  // At the border there is nothing to shrink from.
  const Image black = make_image(8, 8);
  EXPECT_EQ(draw_with_pen(black, -512).rgb, black.rgb);
}

TEST(RedrawLines, ColoursInkAndPaper) {
  const Image image = square(8, 4);
  LineArt art;
  art.ink = {10, 20, 30};
  art.paper = {250, 240, 230};
  const Image tinted = redraw_lines(image, art, {});
  EXPECT_EQ((std::vector<std::uint8_t>(tinted.rgb.begin(), tinted.rgb.begin() + 3)),
            (std::vector<std::uint8_t>{250, 240, 230}));
  const std::uint8_t* const middle = &tinted.rgb[3 * (4 * 8 + 4)];
  EXPECT_EQ((std::vector<std::uint8_t>(middle, middle + 3)),
            (std::vector<std::uint8_t>{10, 20, 30}));

  art = {};
  art.invert = true;
  const Image once = redraw_lines(random_image(9, 9, 6), art, {});
  EXPECT_EQ(redraw_lines(once, art, {}).rgb, random_image(9, 9, 6).rgb);

  art = {};
  art.contrast = 128;
  EXPECT_EQ(red(redraw_lines(image, art, {}), 4, 4), 255 - 127);
  EXPECT_EQ(red(redraw_lines(image, art, {}), 0, 0), 255);
}

TEST(RedrawLines, GreysHaveNoColour) {
  LineArt art;
  art.grey = true;
  const Image grey = redraw_lines(random_image(9, 9, 7), art, {});
  for (std::size_t i = 0; i < grey.rgb.size(); i += 3) {
    EXPECT_EQ(grey.rgb[i], grey.rgb[i + 1]);
    EXPECT_EQ(grey.rgb[i], grey.rgb[i + 2]);
  }
}

TEST(DrawLineArt, KeepsItsRangesAndShares) {
  const LineArtRange range{
      .grey = 0.5, .outline = 0.4, .ink = 1, .contrast = 0.3, .tint = 0.2, .invert = 0.1};
  int grey = 0, outline = 0, thin = 0, tint = 0, invert = 0;
  int thinnest = 0, thickest = 0, weakest = 256, strongest = 256;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    Random random(9, i), same(9, i);
    const LineArt art = draw_line_art(range, random);
    EXPECT_EQ(art, draw_line_art(range, same));
    grey += art.grey;
    outline += art.outline != Outline::kNone;
    thin += art.outline == Outline::kThin;
    invert += art.invert;
    thinnest = std::min(thinnest, art.pen);
    thickest = std::max(thickest, art.pen);
    weakest = std::min(weakest, art.contrast);
    strongest = std::max(strongest, art.contrast);
    if (art.ink == LineArt{}.ink && art.paper == LineArt{}.paper) continue;
    ++tint;
    for (std::size_t c = 0; c < 3; ++c) EXPECT_LT(art.ink[c], art.paper[c]);
  }
  EXPECT_NEAR(grey, 1000, 100);
  EXPECT_NEAR(outline, 800, 100);
  EXPECT_NEAR(thin, 480, 80);
  EXPECT_NEAR(tint, 400, 80);
  EXPECT_NEAR(invert, 200, 60);
  EXPECT_NEAR(thinnest, -128, 4);
  EXPECT_NEAR(thickest, 256, 4);
  EXPECT_NEAR(weakest, 256 * 0.7, 4);
  EXPECT_NEAR(strongest, 256 * 1.3, 4);
}

}  // namespace
}  // namespace openworld

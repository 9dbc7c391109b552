#include "openworld/images/affine.h"

#include <gtest/gtest.h>

#include <cmath>

namespace openworld {
namespace {

Image random_image(int width, int height, std::uint64_t seed) {
  Image image = make_image(width, height);
  Random random(seed);
  for (std::uint8_t& value : image.rgb) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

// White, with a black pixel.
Image dot(int side, int x, int y) {
  Image image = make_image(side, side);
  std::fill(image.rgb.begin(), image.rgb.end(), std::uint8_t{255});
  for (int k = 0; k < 3; ++k) image.rgb[static_cast<std::size_t>(3 * (y * side + x) + k)] = 0;
  return image;
}

// Centre of what is dark, from the image's centre.
std::pair<double, double> centre(const Image& image) {
  double x = 0, y = 0, total = 0;
  for (int v = 0; v < image.height; ++v) {
    for (int u = 0; u < image.width; ++u) {
      const double ink = 255.0 - image.rgb[static_cast<std::size_t>(3 * (v * image.width + u))];
      x += ink * u;
      y += ink * v;
      total += ink;
    }
  }
  return {x / total - (image.width - 1) / 2.0, y / total - (image.height - 1) / 2.0};
}

TEST(Warp, IdentityKeepsEveryByte) {
  const Image image = random_image(17, 12, 1);
  EXPECT_EQ(warp(image, {}).rgb, image.rgb);
}

TEST(Warp, QuarterTurnsMovePixelsExactly) {
  const Image image = random_image(9, 9, 2);
  // source = (y, -x): the pixel at the top left comes from the bottom left.
  Image turned = warp(image, {.xx = 0, .xy = 1, .yx = -1, .yy = 0});
  for (int k = 0; k < 3; ++k) EXPECT_EQ(turned.rgb[k], image.rgb[3 * (8 * 9) + k]);
  for (int i = 0; i < 3; ++i) turned = warp(turned, {.xx = 0, .xy = 1, .yx = -1, .yy = 0});
  EXPECT_EQ(turned.rgb, image.rgb);
}

TEST(Warp, OutsideIsTheColourOfTheBorder) {
  Image image = dot(10, 5, 5);
  const Image moved = warp(image, {.x = 100});
  EXPECT_EQ(moved.rgb, std::vector<std::uint8_t>(300, 255));
}

TEST(DrawAffine, InvertsWhatItSays) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const AffineRange range;
    const AffineMap map = draw_affine(range, 101, 101, random);
    const Image image = dot(101, 60, 45);  // (10, -5) from the centre
    const auto [x, y] = centre(warp(image, map));
    EXPECT_NEAR(map.xx * x + map.xy * y + map.x, 10, 0.3) << seed;
    EXPECT_NEAR(map.yx * x + map.yy * y + map.y, -5, 0.3) << seed;
    const double area = 1 / std::abs(map.xx * map.yy - map.xy * map.yx);
    EXPECT_GE(area, range.low * range.low - 1e-9);
    EXPECT_LE(area, range.high * range.high + 1e-9);
  }
}

TEST(DrawAffine, FlipsAsOftenAsAsked) {
  int flips = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const AffineMap map = draw_affine({.flip = 0.25}, 20, 20, random);
    flips += map.xx * map.yy - map.xy * map.yx < 0 ? 1 : 0;
  }
  EXPECT_NEAR(flips, 250, 50);
}

TEST(DrawAffine, NothingAskedNothingDone) {
  Random random(3);
  const AffineMap map = draw_affine({0, 1, 1, 0, 0, 0}, 31, 20, random);
  const Image image = random_image(31, 20, 4);
  EXPECT_EQ(warp(image, map).rgb, image.rgb);
}

}  // namespace
}  // namespace openworld

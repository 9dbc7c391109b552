#include "openworld/images/redraw.h"

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

TEST(Redraw, IdentityKeepsEveryByte) {
  const Image image = random_image(17, 12, 1);
  EXPECT_EQ(redraw(image, {}).rgb, image.rgb);
}

TEST(Redraw, QuarterTurnsMovePixelsExactly) {
  const Image image = random_image(9, 9, 2);
  // source = (y, -x): the pixel at the top left comes from the bottom left.
  Redrawing turn;
  turn.map = {.xx = 0, .xy = 1, .yx = -1, .yy = 0};
  Image turned = redraw(image, turn);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(turned.rgb[k], image.rgb[3 * (8 * 9) + k]);
  for (int i = 0; i < 3; ++i) turned = redraw(turned, turn);
  EXPECT_EQ(turned.rgb, image.rgb);
}

TEST(Redraw, OutsideIsTheColourOfTheBorder) {
  Image image = dot(10, 5, 5);
  Redrawing away;
  away.map.x = 100;
  const Image moved = redraw(image, away);
  EXPECT_EQ(moved.rgb, std::vector<std::uint8_t>(300, 255));
}

TEST(DrawRedrawing, InvertsWhatItSays) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const RedrawRange range;
    const Redrawing redrawing = draw_redrawing(range, 101, 101, random);
    const AffineMap& map = redrawing.map;
    const Image image = dot(101, 60, 45);  // (10, -5) from the centre
    const auto [x, y] = centre(redraw(image, redrawing));
    EXPECT_NEAR(map.xx * x + map.xy * y + map.x, 10, 0.3) << seed;
    EXPECT_NEAR(map.yx * x + map.yy * y + map.y, -5, 0.3) << seed;
    const double area = 1 / std::abs(map.xx * map.yy - map.xy * map.yx);
    EXPECT_GE(area, range.low * range.low - 1e-9);
    EXPECT_LE(area, range.high * range.high + 1e-9);
  }
}

TEST(DrawRedrawing, FlipsAsOftenAsAsked) {
  int flips = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const AffineMap map = draw_redrawing({.flip = 0.25}, 20, 20, random).map;
    flips += map.xx * map.yy - map.xy * map.yx < 0 ? 1 : 0;
  }
  EXPECT_NEAR(flips, 250, 50);
}

TEST(DrawRedrawing, NothingAskedNothingDone) {
  Random random(3);
  const Image image = random_image(31, 20, 4);
  EXPECT_EQ(redraw(image, draw_redrawing({0, 1, 1, 0, 0, 0}, 31, 20, random)).rgb, image.rgb);
}

TEST(Redraw, BendsAsTheGridSays) {
  // The middle of the grid moves the source by 3 to the right: what was there is now left of it.
  Redrawing redrawing;
  redrawing.bend.x[Bend::kNodes * 2 + 2] = 3;
  const auto [x, y] = centre(redraw(dot(101, 53, 50), redrawing));
  EXPECT_NEAR(x, 0, 0.2);
  EXPECT_NEAR(y, 0, 0.2);
  // Far from it nothing moves.
  const Image corner = dot(101, 10, 90);
  EXPECT_EQ(redraw(corner, redrawing).rgb, corner.rgb);
}

TEST(DrawRedrawing, BendsWithinBounds) {
  Random random(5);
  const Redrawing redrawing = draw_redrawing({.bend = 0.1}, 50, 30, random);
  double most = 0;
  for (const double x : redrawing.bend.x) most = std::max(most, std::abs(x));
  EXPECT_LE(most, 5);
  EXPECT_GT(most, 2);
}

TEST(Redraw, WarpsAsTheSplineSays) {
  // All control points alike: a shift, since the weights of a spline sum to 1.
  Redrawing redrawing;
  redrawing.warp.x.fill(5);
  redrawing.warp.y.fill(-3);
  const auto [x, y] = centre(redraw(dot(101, 60, 40), redrawing));
  EXPECT_NEAR(x, 60 - 50 - 5, 0.02);
  EXPECT_NEAR(y, 40 - 50 + 3, 0.02);
  // One control point moves what is near it, by 4/9 of its way at its own place.
  redrawing = {};
  redrawing.warp.x[Warp::kPoints * 5 + 5] = 9;  // at the middle of the image
  const auto [near, still] = centre(redraw(dot(101, 54, 50), redrawing));
  EXPECT_NEAR(near, 0, 0.2);
  EXPECT_NEAR(still, 0, 0.2);
  const Image corner = dot(101, 5, 95);
  EXPECT_EQ(redraw(corner, redrawing).rgb, corner.rgb);
}

// How far a warp of 0.1 of the side moves points, and that nothing else changes with it.
TEST(DrawRedrawing, WarpsWithinBounds) {
  double square = 0, most = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed), same(seed);
    const Redrawing plain = draw_redrawing({.cover = 1}, 64, 64, same);
    Redrawing redrawing = draw_redrawing({.cover = 1, .warp = 0.1}, 64, 64, random);
    EXPECT_EQ(redrawing.map.xx, plain.map.xx);
    EXPECT_EQ(redrawing.cover, plain.cover);
    for (const double x : redrawing.warp.x) most = std::max(most, std::abs(x));
    redrawing.map = {};
    redrawing.cover = {};
    const auto [x, y] = centre(redraw(dot(64, 32, 32), redrawing));
    square += ((x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5)) / 2 / 50;
  }
  EXPECT_LE(most, 6.4);
  EXPECT_NEAR(std::sqrt(square), 0.3 * 6.4, 0.5);
}

TEST(DrawRedrawing, CoversAPart) {
  const Image black = make_image(40, 40);
  Image framed = black;  // with a white border
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      if (x > 0 && x < 39 && y > 0 && y < 39) continue;
      for (int k = 0; k < 3; ++k) framed.rgb[static_cast<std::size_t>(3 * (40 * y + x) + k)] = 255;
    }
  }
  int covered = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const RedrawRange range{0, 1, 1, 0, 0, 0, 0, 0.4};
    const Image image = redraw(framed, draw_redrawing(range, 40, 40, random));
    const auto white = std::count(image.rgb.begin(), image.rgb.end(), 255) / 3;
    if (white == 156) continue;  // the border alone
    ++covered;
    EXPECT_LE(white, 156 + 1600 / 4 + 40);
  }
  EXPECT_NEAR(covered, 120, 30);
}

}  // namespace
}  // namespace openworld

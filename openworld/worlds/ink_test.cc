#include "openworld/worlds/ink.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace openworld {
namespace {

// A filled square of the drawing's pixels [from, to) in both directions.
Drawing square(int from, int to) {
  Drawing drawing{};
  for (int y = from; y < to; ++y) {
    for (int x = from; x < to; ++x) drawing[static_cast<std::size_t>(y * kDrawingSide + x)] = 15;
  }
  return drawing;
}

// All ink, in full pixels.
double amount(const Ink& ink) {
  double sum = 0;
  for (int y = 0; y < kPictureSide; ++y) {
    for (int x = 0; x < kPictureSide; ++x) sum += ink.at(x, y);
  }
  return sum / 255;
}

TEST(FixedSin, IsTheSine) {
  for (int turns = -70'000; turns < 140'000; turns += 37) {
    const double angle = 2 * std::numbers::pi * turns / kOne;
    EXPECT_NEAR(fixed_sin(turns) / double{kOne}, std::sin(angle), 1e-4) << turns;
    EXPECT_NEAR(fixed_cos(turns) / double{kOne}, std::cos(angle), 1e-4) << turns;
  }
}

TEST(Between, HasBothEnds) {
  Random random(1);
  int low = 100, high = -100;
  for (int i = 0; i < 1000; ++i) {
    const int value = between(random, -3, 4);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_EQ(low, -3);
  EXPECT_EQ(high, 4);
  EXPECT_EQ(between(random, 5, 5), 5);
}

TEST(SmoothField, IsSmoothAndWithinItsAmplitude) {
  Random random(2);
  for (const int cell : {4, 7, 16}) {
    const SmoothField field(random, cell, 1000);
    for (int y = 0; y < kPictureSide; ++y) {
      for (int x = 1; x < kPictureSide; ++x) {
        EXPECT_LE(std::abs(field.at(x, y)), 1003);
        // The slope of a cubic B-spline is at most the largest step between its points.
        EXPECT_LE(std::abs(field.at(x, y) - field.at(x - 1, y)), 2000 / cell + 8);
      }
    }
  }
}

TEST(Ink, IsTheDrawingTwiceAsLarge) {
  const Ink ink(square(8, 20), {});
  for (int y = 0; y < kPictureSide; ++y) {
    for (int x = 0; x < kPictureSide; ++x) {
      // Farther than the filter reaches from an edge.
      const int inside = std::min({x - 16, y - 16, 39 - x, 39 - y});
      if (inside >= 4) {
        EXPECT_EQ(ink.at(x, y), 255) << x << ", " << y;
      }
      if (inside <= -5) {
        EXPECT_EQ(ink.at(x, y), 0) << x << ", " << y;
      }
      EXPECT_EQ(ink.at(x, y), ink.at(y, x)) << "a square";
      EXPECT_EQ(ink.at(x, y), ink.at(kPictureSide - 1 - x, y)) << "in the middle";
    }
  }
  EXPECT_EQ(ink.at(-1, 20), 0);
  EXPECT_EQ(ink.at(20, kPictureSide), 0);
}

TEST(Ink, TurnsShiftsAndShrinks) {
  const double whole = amount(Ink(square(8, 20), {}));
  // Half the size, a quarter of the ink, but for its soft edges.
  const Ink small(square(8, 20), {.matrix = {2 * kOne, 0, 0, 2 * kOne}});
  EXPECT_NEAR(amount(small) / whole, 0.25, 0.03);
  // Three pixels of the drawing are six of the picture.
  const Ink plain(square(8, 20), {}), shifted(square(8, 20), {.shift = {3 * kOne, 0}});
  for (int x = 0; x < kPictureSide - 6; ++x) EXPECT_EQ(shifted.at(x, 28), plain.at(x + 6, 28));
  const Ink turned(square(8, 20), {.matrix = {0, -kOne, kOne, 0}});
  EXPECT_NEAR(amount(turned), whole, whole / 100);
}

TEST(Ink, GrowsAndThins) {
  const Ink before(square(10, 18), {});
  double last = 0;
  for (const int by : {-256, -100, 0, 100, 256}) {
    Ink ink = before;
    ink.thicken(by);
    EXPECT_GT(amount(ink), last) << by;
    last = amount(ink);
    if (by == 0) {
      EXPECT_EQ(amount(ink), amount(before));
    }
  }
}

TEST(Ink, DotsAreRound) {
  for (const int radius : {1, 2, 4}) {
    Ink ink;
    ink.dot(20 * kOne, 30 * kOne, radius * kOne);
    EXPECT_NEAR(amount(ink), std::numbers::pi * radius * radius, 0.6) << radius;
    const double once = amount(ink);
    ink.dot(20 * kOne, 30 * kOne, radius * kOne);
    EXPECT_EQ(amount(ink), once) << "ink on ink";
  }
  Ink ink;
  ink.dot(-kOne, 60 * kOne, kOne);  // beyond the picture
  EXPECT_EQ(amount(ink), 0);
}

}  // namespace
}  // namespace openworld

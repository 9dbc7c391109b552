#pragma once

// Pictures of drawings before they have colours: how much ink is where, in 56 x 56 pixels.
//
// Everything is integer arithmetic, so that the bytes are equal on every machine and compiler:
// lengths and matrices are in Q16 (65536 is 1), angles in turns of Q16 (65536 is a full one).

#include <array>
#include <cstdint>

#include "openworld/base/random.h"
#include "openworld/worlds/doodles.h"

namespace openworld {

inline constexpr int kPictureSide = 2 * kDrawingSide;
inline constexpr std::int32_t kOne = 1 << 16;  // of Q16

// The sine of an angle; off by less than 1e-4.
std::int32_t fixed_sin(std::int32_t turns);
inline std::int32_t fixed_cos(std::int32_t turns) {
  return fixed_sin(turns + kOne / 4);
}

// Uniform on [low, high].
std::int32_t between(Random& random, std::int32_t low, std::int32_t high);

// Random numbers on a lattice, `cell` pixels apart, with a cubic B-spline through them: about
// normal with a standard deviation of a third of `amplitude` or less.
class SmoothField {
 public:
  static constexpr int kWeightBits = 10;
  using Weights = std::array<std::int32_t, 4>;

  // REQUIRES: 4 <= cell <= 16.
  SmoothField(Random& random, int cell, std::int32_t amplitude);

  // REQUIRES: 0 <= x, y < kPictureSide.
  std::int32_t at(int x, int y) const;

 private:
  static constexpr int kMaxCell = 16;
  static constexpr int kMaxPoints = kPictureSide / 4 + 3;
  int cell_;
  std::array<Weights, kMaxCell> weights_;  // by the place within a cell
  std::array<std::array<std::int32_t, kMaxPoints>, kMaxPoints> points_;
};

// From pixels of the picture, relative to its centre, to the drawing, likewise.
struct Warp {
  std::array<std::int32_t, 4> matrix = {kOne, 0, 0, kOne};  // row by row
  std::array<std::int32_t, 2> shift = {0, 0};               // in pixels of the drawing
  const SmoothField* dx = nullptr;                          // likewise; none: no wobble
  const SmoothField* dy = nullptr;
};

class Ink {
 public:
  // No ink.
  Ink() : values_{} {}

  // The drawing, twice as large, through Mitchell's filter: strokes get even and keep soft edges.
  // REQUIRES: the warp does not shrink below half, or pixels of the drawing would be skipped.
  Ink(const Drawing& drawing, const Warp& warp);

  // 0 to 255; 0 beyond the borders.
  int at(int x, int y) const {
    const bool inside = x >= 0 && x < kPictureSide && y >= 0 && y < kPictureSide;
    return inside ? values_[static_cast<std::size_t>(y * kPictureSide + x)] : 0;
  }

  // REQUIRES: x and y within the picture.
  void set(int x, int y, int value) {
    values_[static_cast<std::size_t>(y * kPictureSide + x)] = static_cast<std::uint8_t>(value);
  }

  // Strokes grow by `amount` / 256 of a pixel on each side, or get thinner where it is negative.
  // REQUIRES: |amount| <= 256.
  void thicken(int amount);

  // Stamps a round pen on a point; all in Q16 pixels. REQUIRES: radius <= 4.
  void dot(std::int32_t x, std::int32_t y, std::int32_t radius);

 private:
  std::array<std::uint8_t, kPictureSide * kPictureSide> values_;
};

}  // namespace openworld

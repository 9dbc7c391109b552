#include "openworld/worlds/ink.h"

#include <algorithm>
#include <cassert>

namespace openworld {
namespace {

constexpr int kWeightBits = SmoothField::kWeightBits;
using Weights = SmoothField::Weights;

// Four cubic polynomials of t = numerator / denominator by falling powers, over `whole`, times
// 2^kWeightBits.
using Cubics = std::array<std::array<std::int64_t, 4>, 4>;
constexpr Weights weights_at(const Cubics& cubics, std::int64_t whole, std::int64_t numerator,
                             std::int64_t denominator) {
  const std::int64_t t = numerator, n = denominator;
  const std::int64_t scale = whole * n * n * n;
  Weights weights{};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto& c = cubics[i];
    const std::int64_t value =
        c[0] * t * t * t + c[1] * t * t * n + c[2] * t * n * n + c[3] * n * n * n;
    weights[i] = static_cast<std::int32_t>(((value << kWeightBits) + scale / 2) / scale);
  }
  return weights;
}

// Smooth, but not through its points.
constexpr Weights spline_weights(std::int64_t numerator, std::int64_t denominator) {
  return weights_at({{{-1, 3, -3, 1}, {3, -6, 0, 4}, {-3, 3, 3, 1}, {1, 0, 0, 0}}}, 6, numerator,
                    denominator);
}

// Mitchell and Netravali's (1988): between blurred and jagged.
constexpr Weights mitchell_weights(std::int64_t numerator, std::int64_t denominator) {
  return weights_at({{{-7, 15, -9, 1}, {21, -36, 0, 16}, {-21, 27, 9, 1}, {7, -6, 0, 0}}}, 18,
                    numerator, denominator);
}

constexpr auto kMitchellWeights = [] {
  std::array<Weights, 64> table{};
  for (std::size_t p = 0; p < 64; ++p) {
    table[p] = mitchell_weights(static_cast<std::int64_t>(p), 64);
  }
  return table;
}();

int pixel(const Drawing& drawing, int x, int y) {
  if (x < 0 || x >= kDrawingSide || y < 0 || y >= kDrawingSide) return 0;
  return 17 * drawing[static_cast<std::size_t>(y * kDrawingSide + x)];
}

// At a point in Q16 pixels, of which whole numbers are centres.
int sample(const Drawing& drawing, std::int64_t x, std::int64_t y) {
  const auto left = static_cast<int>(x >> 16) - 1, top = static_cast<int>(y >> 16) - 1;
  if (left <= -4 || left >= kDrawingSide || top <= -4 || top >= kDrawingSide) return 0;
  const Weights& across = kMitchellWeights[static_cast<std::size_t>((x & 0xffff) >> 10)];
  const Weights& down = kMitchellWeights[static_cast<std::size_t>((y & 0xffff) >> 10)];
  std::int32_t sum = 0;
  for (int j = 0; j < 4; ++j) {
    std::int32_t row = 0;
    for (int i = 0; i < 4; ++i) {
      row += across[static_cast<std::size_t>(i)] * pixel(drawing, left + i, top + j);
    }
    sum += down[static_cast<std::size_t>(j)] * row;
  }
  // The filter spreads a stroke; this makes up for it.
  return std::clamp(((sum >> kWeightBits) * 5 / 4) >> kWeightBits, 0, 255);
}

// The square root, rounded down. REQUIRES: value < 2^24.
int root(int value) {
  int result = 0;
  for (int bit = 1 << 11; bit > 0; bit /= 2) {
    const int next = result + bit;
    if (next * next <= value) result = next;
  }
  return result;
}

}  // namespace

std::int32_t fixed_sin(std::int32_t turns) {
  // To a quarter and its sign, then the Taylor polynomial of degree 9.
  std::int64_t t = turns & 0xffff;
  const bool negative = t >= kOne / 2;
  if (negative) t -= kOne / 2;
  if (t > kOne / 4) t = kOne / 2 - t;
  const std::int64_t a = t * 411775 >> 16;  // 2 pi in Q16
  const std::int64_t a2 = a * a >> 16;
  std::int64_t value = kOne;
  for (const std::int64_t term : {72, 42, 20, 6}) value = kOne - (value * a2 >> 16) / term;
  value = value * a >> 16;
  return static_cast<std::int32_t>(negative ? -value : value);
}

std::int32_t between(Random& random, std::int32_t low, std::int32_t high) {
  return low + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(high - low) + 1));
}

SmoothField::SmoothField(Random& random, int cell, std::int32_t amplitude) : cell_(cell) {
  assert(cell >= 4 && cell <= kMaxCell);
  for (int i = 0; i < cell; ++i) {
    weights_[static_cast<std::size_t>(i)] = spline_weights(2 * i + 1, 2 * cell);
  }
  for (auto& row : points_) {
    for (auto& value : row) value = between(random, -amplitude, amplitude);
  }
}

std::int32_t SmoothField::at(int x, int y) const {
  const Weights& across = weights_[static_cast<std::size_t>(x % cell_)];
  const Weights& down = weights_[static_cast<std::size_t>(y % cell_)];
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    const auto& row = points_[static_cast<std::size_t>(y / cell_) + j];
    for (std::size_t i = 0; i < 4; ++i) {
      sum += std::int64_t{down[j]} * across[i] * row[static_cast<std::size_t>(x / cell_) + i];
    }
  }
  return static_cast<std::int32_t>(sum >> (2 * kWeightBits));
}

Ink::Ink(const Drawing& drawing, const Warp& warp) {
  constexpr std::int64_t kMiddle = std::int64_t{kDrawingSide} * kOne / 2 - kOne / 2;
  for (int y = 0; y < kPictureSide; ++y) {
    for (int x = 0; x < kPictureSide; ++x) {
      // Half pixels of the drawing from the centre, in Q16.
      const std::int64_t u = std::int64_t{2 * x + 1 - kPictureSide} * kOne / 4;
      const std::int64_t v = std::int64_t{2 * y + 1 - kPictureSide} * kOne / 4;
      const auto& m = warp.matrix;
      std::int64_t sx = ((m[0] * u + m[1] * v) >> 16) + warp.shift[0] + kMiddle;
      std::int64_t sy = ((m[2] * u + m[3] * v) >> 16) + warp.shift[1] + kMiddle;
      if (warp.dx != nullptr) sx += warp.dx->at(x, y);
      if (warp.dy != nullptr) sy += warp.dy->at(x, y);
      set(x, y, sample(drawing, sx, sy));
    }
  }
}

void Ink::thicken(int amount) {
  const Ink before = *this;
  for (int y = 0; y < kPictureSide; ++y) {
    for (int x = 0; x < kPictureSide; ++x) {
      const int here = before.at(x, y);
      int low = here, high = here;
      for (const auto& [dx, dy] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        const int there = before.at(x + dx, y + dy);
        low = std::min(low, there);
        high = std::max(high, there);
      }
      const int wanted = amount < 0 ? low : high;
      set(x, y, here + (wanted - here) * (amount < 0 ? -amount : amount) / 256);
    }
  }
}

void Ink::dot(std::int32_t x, std::int32_t y, std::int32_t radius) {
  assert(radius <= 4 * kOne);
  const int reach = (radius >> 16) + 2;
  const int cx = x >> 16, cy = y >> 16;
  for (int py = std::max(cy - reach, 0); py <= std::min(cy + reach, kPictureSide - 1); ++py) {
    for (int px = std::max(cx - reach, 0); px <= std::min(cx + reach, kPictureSide - 1); ++px) {
      // From here on in 256ths of a pixel.
      const int dx = (px * kOne + kOne / 2 - x) >> 8, dy = (py * kOne + kOne / 2 - y) >> 8;
      const int cover = (radius >> 8) + 128 - root(dx * dx + dy * dy);
      set(px, py, std::max(at(px, py), std::clamp(cover, 0, 255)));
    }
  }
}

}  // namespace openworld

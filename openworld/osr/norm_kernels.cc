#include "openworld/osr/norm_kernels.h"

#include <algorithm>
#include <vector>

#include "openworld/base/simd.h"

namespace openworld {
namespace {

// Floats of so many rows are summed before they are added to doubles: an error of about 64
// roundings at most, a few 1e-6 of the sum.
constexpr std::int64_t kBlock = 64;

// The derivative of LeakyReLU. A choice of two constants is a blend; one of two products would be a
// branch, which keeps a loop from being vectorised.
inline float slope_at(float v, float slope) {
  return v > 0 ? 1.0f : slope;
}

OPENWORLD_SIMD_V3
void block_moments(const float* __restrict y, std::int64_t rows, std::int64_t channels,
                   float* __restrict sum, float* __restrict square) {
  std::fill_n(sum, channels, 0.0f);
  std::fill_n(square, channels, 0.0f);
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const row = y + r * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      sum[c] += row[c];
      square[c] += row[c] * row[c];
    }
  }
}

OPENWORLD_SIMD_V3
void forward_rows(const float* __restrict y, std::int64_t rows, std::int64_t channels,
                  const float* __restrict scale, const float* __restrict shift,
                  const float* __restrict mask, float slope, float* __restrict z) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const from = y + r * channels;
    float* const to = z + r * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float v = scale[c] * from[c] + shift[c];
      to[c] = mask[c] * (std::max(v, 0.0f) + slope * std::min(v, 0.0f));
    }
  }
}

OPENWORLD_SIMD_V3
void block_gradient_moments(const float* __restrict y, const float* __restrict dz,
                            std::int64_t rows, std::int64_t channels, const float* __restrict scale,
                            const float* __restrict shift, const float* __restrict mask,
                            float slope, float* __restrict sum, float* __restrict product) {
  std::fill_n(sum, channels, 0.0f);
  std::fill_n(product, channels, 0.0f);
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const row = y + r * channels;
    const float* const of_row = dz + r * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float v = scale[c] * row[c] + shift[c];
      const float g = slope_at(v, slope) * of_row[c] * mask[c];
      sum[c] += g;
      product[c] += g * row[c];
    }
  }
}

OPENWORLD_SIMD_V3
void backward_rows(const float* __restrict y, const float* __restrict dz, std::int64_t rows,
                   std::int64_t channels, const float* __restrict scale,
                   const float* __restrict shift, const float* __restrict mask, float slope,
                   const float* __restrict by_y, const float* __restrict constant,
                   float* __restrict dy) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* const row = y + r * channels;
    const float* const of_row = dz + r * channels;
    float* const to = dy + r * channels;
    for (std::int64_t c = 0; c < channels; ++c) {
      const float v = scale[c] * row[c] + shift[c];
      const float g = slope_at(v, slope) * of_row[c] * mask[c];
      to[c] = scale[c] * g + by_y[c] * row[c] + constant[c];
    }
  }
}

// f(first row, rows, mask) for each image of the part, or all of it at once if there is no mask.
template <class F>
void for_each_image(const NormRows& part, const std::vector<float>& ones, const F& f) {
  if (part.mask == nullptr) return f(std::int64_t{0}, part.rows, ones.data());
  for (std::int64_t r = 0; r < part.rows; r += part.image_rows) {
    f(r, part.image_rows, part.mask + r / part.image_rows * part.channels);
  }
}

void add(const std::vector<float>& block, double* total) {
  for (std::size_t c = 0; c < block.size(); ++c) total[c] += static_cast<double>(block[c]);
}

}  // namespace

void add_moments(const float* y, std::int64_t rows, std::int64_t channels, double* sum,
                 double* square) {
  const auto count = static_cast<std::size_t>(channels);
  std::vector<float> sums(count), squares(count);
  for (std::int64_t r = 0; r < rows; r += kBlock) {
    block_moments(y + r * channels, std::min(kBlock, rows - r), channels, sums.data(),
                  squares.data());
    add(sums, sum);
    add(squares, square);
  }
}

void norm_forward(const NormRows& part, float* z) {
  const std::vector<float> ones(static_cast<std::size_t>(part.channels), 1.0f);
  for_each_image(part, ones, [&](std::int64_t first, std::int64_t rows, const float* mask) {
    const std::int64_t at = first * part.channels;
    forward_rows(part.y + at, rows, part.channels, part.scale, part.shift, mask, part.slope,
                 z + at);
  });
}

void add_gradient_moments(const NormRows& part, const float* dz, double* sum, double* product) {
  const auto count = static_cast<std::size_t>(part.channels);
  const std::vector<float> ones(count, 1.0f);
  std::vector<float> sums(count), products(count);
  for_each_image(part, ones, [&](std::int64_t first, std::int64_t rows, const float* mask) {
    for (std::int64_t r = first; r < first + rows; r += kBlock) {
      const std::int64_t at = r * part.channels;
      block_gradient_moments(part.y + at, dz + at, std::min(kBlock, first + rows - r),
                             part.channels, part.scale, part.shift, mask, part.slope, sums.data(),
                             products.data());
      add(sums, sum);
      add(products, product);
    }
  });
}

void norm_backward(const NormRows& part, const float* dz, const float* by_y, const float* constant,
                   float* dy) {
  const std::vector<float> ones(static_cast<std::size_t>(part.channels), 1.0f);
  for_each_image(part, ones, [&](std::int64_t first, std::int64_t rows, const float* mask) {
    const std::int64_t at = first * part.channels;
    backward_rows(part.y + at, dz + at, rows, part.channels, part.scale, part.shift, mask,
                  part.slope, by_y, constant, dy + at);
  });
}

}  // namespace openworld

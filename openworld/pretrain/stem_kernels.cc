#include "openworld/pretrain/stem_kernels.h"

#include <algorithm>

#include "openworld/base/simd.h"
#include "openworld/pretrain/vector_math.h"

namespace openworld {
namespace {

using vector_math::Floats;
using vector_math::Gelu;
using vector_math::kLanes;
using vector_math::load;
using vector_math::QuickGelu;
using vector_math::store;

// Rows whose sums are kept in floats; 64 rows of 128 columns stay in the first cache.
constexpr std::int64_t kBlock = 64;

// The runs of pixels that the three rows of a window have in the input.
struct Run {
  std::int64_t input = 0;   // offset of the first pixel
  std::int64_t window = 0;  // offset within the window
  std::int64_t size = 0;    // floats
};

// Calls work(run) for each row of the window of an output that lies within the image.
template <class Work>
[[gnu::always_inline]] inline void for_each_run(const WindowShape& shape, std::int64_t y,
                                                std::int64_t x, const Work& work) {
  const std::int64_t left = x * shape.stride - 1, top = y * shape.stride - 1;
  const std::int64_t from = std::max<std::int64_t>(left, 0);
  const std::int64_t to = std::min(left + 3, shape.side);
  for (std::int64_t k = 0; k < 3; ++k) {
    if (top + k < 0 || top + k >= shape.side) continue;
    work(Run{((top + k) * shape.side + from) * shape.channels,
             (3 * k + from - left) * shape.channels, (to - from) * shape.channels});
  }
}

bool is_inside(const WindowShape& shape, std::int64_t y, std::int64_t x) {
  const std::int64_t left = x * shape.stride - 1, top = y * shape.stride - 1;
  return left >= 0 && top >= 0 && left + 3 <= shape.side && top + 3 <= shape.side;
}

OPENWORLD_SIMD_V3
void add_run(const float* from, std::int64_t size, float* to) {
  for (std::int64_t i = 0; i < size; ++i) to[i] += from[i];
}

// Sums of a column of eight over a block of rows.
[[gnu::always_inline]] inline Floats block_sum(const float* y, std::int64_t rows,
                                               std::int64_t stride) {
  Floats sum{};
  for (std::int64_t r = 0; r < rows; ++r) sum += load(y + r * stride);
  return sum;
}

[[gnu::always_inline]] inline Floats block_squares(const float* y, std::int64_t rows,
                                                   std::int64_t stride, const Floats& centre) {
  Floats sum{};
  for (std::int64_t r = 0; r < rows; ++r) {
    const Floats d = load(y + r * stride) - centre;
    sum += d * d;
  }
  return sum;
}

[[gnu::always_inline]] inline void add_to(const Floats& sum, double* to) {
  for (std::int64_t l = 0; l < kLanes; ++l) to[l] += double{sum[l]};
}

OPENWORLD_SIMD_V3
void moments(const float* y, const RowsShape& shape, double* mean, double* variance) {
  const auto n = static_cast<double>(shape.rows);
  std::fill_n(mean, shape.columns, 0.0);
  std::fill_n(variance, shape.columns, 0.0);
  for (std::int64_t r = 0; r < shape.rows; r += kBlock) {
    const std::int64_t rows = std::min(kBlock, shape.rows - r);
    for (std::int64_t c = 0; c < shape.columns; c += kLanes) {
      add_to(block_sum(y + r * shape.columns + c, rows, shape.columns), mean + c);
    }
  }
  for (std::int64_t c = 0; c < shape.columns; ++c) mean[c] /= n;
  for (std::int64_t r = 0; r < shape.rows; r += kBlock) {
    const std::int64_t rows = std::min(kBlock, shape.rows - r);
    for (std::int64_t c = 0; c < shape.columns; c += kLanes) {
      Floats centre;
      for (std::int64_t l = 0; l < kLanes; ++l) centre[l] = static_cast<float>(mean[c + l]);
      add_to(block_squares(y + r * shape.columns + c, rows, shape.columns, centre), variance + c);
    }
  }
  for (std::int64_t c = 0; c < shape.columns; ++c) variance[c] /= n;
}

template <class Act>
[[gnu::always_inline]] inline void activate(const float* y, const RowsShape& shape,
                                            const float* scale, const float* shift, float* z) {
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t c = 0; c < shape.columns; c += kLanes) {
      const std::int64_t i = r * shape.columns + c;
      store(Act::value(load(y + i) * load(scale + c) + load(shift + c)), z + i);
    }
  }
}

OPENWORLD_SIMD_V3
void activate_gelu(const float* y, const RowsShape& shape, const float* scale, const float* shift,
                   float* z) {
  activate<Gelu>(y, shape, scale, shift, z);
}

OPENWORLD_SIMD_V3
void activate_quick_gelu(const float* y, const RowsShape& shape, const float* scale,
                         const float* shift, float* z) {
  activate<QuickGelu>(y, shape, scale, shift, z);
}

template <class Act>
[[gnu::always_inline]] inline void slopes(const float* y, const float* z_gradient,
                                          const RowsShape& shape, const float* scale,
                                          const float* shift, const float* centre,
                                          float* u_gradient, double* sums, double* centred_sums) {
  std::fill_n(sums, shape.columns, 0.0);
  std::fill_n(centred_sums, shape.columns, 0.0);
  for (std::int64_t r = 0; r < shape.rows; r += kBlock) {
    const std::int64_t end = std::min(shape.rows, r + kBlock);
    for (std::int64_t c = 0; c < shape.columns; c += kLanes) {
      const Floats a = load(scale + c), b = load(shift + c), m = load(centre + c);
      Floats sum{}, centred{};
      for (std::int64_t row = r; row < end; ++row) {
        const std::int64_t i = row * shape.columns + c;
        const Floats value = load(y + i);
        const Floats gradient = load(z_gradient + i) * Act::slope(value * a + b);
        store(gradient, u_gradient + i);
        sum += gradient;
        centred += gradient * (value - m);
      }
      add_to(sum, sums + c);
      add_to(centred, centred_sums + c);
    }
  }
}

OPENWORLD_SIMD_V3
void slopes_gelu(const float* y, const float* z_gradient, const RowsShape& shape,
                 const float* scale, const float* shift, const float* centre, float* u_gradient,
                 double* sums, double* centred_sums) {
  slopes<Gelu>(y, z_gradient, shape, scale, shift, centre, u_gradient, sums, centred_sums);
}

OPENWORLD_SIMD_V3
void slopes_quick_gelu(const float* y, const float* z_gradient, const RowsShape& shape,
                       const float* scale, const float* shift, const float* centre,
                       float* u_gradient, double* sums, double* centred_sums) {
  slopes<QuickGelu>(y, z_gradient, shape, scale, shift, centre, u_gradient, sums, centred_sums);
}

OPENWORLD_SIMD_V3
void combine(const float* y, const RowsShape& shape, const float* a, const float* b, const float* c,
             float* gradient) {
  for (std::int64_t r = 0; r < shape.rows; ++r) {
    for (std::int64_t k = 0; k < shape.columns; k += kLanes) {
      const std::int64_t i = r * shape.columns + k;
      store(load(gradient + i) * load(a + k) + load(y + i) * load(b + k) + load(c + k),
            gradient + i);
    }
  }
}

}  // namespace

void gather_windows(const float* input, const WindowShape& shape, std::int64_t first,
                    std::int64_t count, float* windows) {
  const std::int64_t pixels = shape.side * shape.side * shape.channels, out = shape.out_side();
  for (std::int64_t image = first; image < first + count; ++image) {
    const float* const from = input + image * pixels;
    for (std::int64_t y = 0; y < out; ++y) {
      for (std::int64_t x = 0; x < out; ++x, windows += shape.window()) {
        if (!is_inside(shape, y, x)) std::fill_n(windows, shape.window(), 0.0f);
        for_each_run(shape, y, x, [&](const Run& run) {
          std::copy_n(from + run.input, run.size, windows + run.window);
        });
      }
    }
  }
}

void scatter_windows(const float* windows, const WindowShape& shape, std::int64_t first,
                     std::int64_t count, float* input) {
  const std::int64_t pixels = shape.side * shape.side * shape.channels, out = shape.out_side();
  for (std::int64_t image = first; image < first + count; ++image) {
    float* const to = input + image * pixels;
    for (std::int64_t y = 0; y < out; ++y) {
      for (std::int64_t x = 0; x < out; ++x, windows += shape.window()) {
        for_each_run(shape, y, x, [&](const Run& run) {
          add_run(windows + run.window, run.size, to + run.input);
        });
      }
    }
  }
}

void channels_last(const float* from, std::int64_t images, std::int64_t channels,
                   std::int64_t pixels, float* to) {
  for (std::int64_t image = 0; image < images; ++image, from += channels * pixels) {
    for (std::int64_t p = 0; p < pixels; ++p) {
      for (std::int64_t c = 0; c < channels; ++c) *to++ = from[c * pixels + p];
    }
  }
}

void column_moments(const float* y, const RowsShape& shape, double* mean, double* variance) {
  moments(y, shape, mean, variance);
}

void activate_columns(const float* y, const RowsShape& shape, const float* scale,
                      const float* shift, Activation activation, float* z) {
  const bool quick = activation == Activation::kQuickGelu;
  (quick ? activate_quick_gelu : activate_gelu)(y, shape, scale, shift, z);
}

void activation_gradient(const float* y, const float* z_gradient, const RowsShape& shape,
                         const float* scale, const float* shift, const float* centre,
                         Activation activation, float* u_gradient, double* sums,
                         double* centred_sums) {
  const bool quick = activation == Activation::kQuickGelu;
  (quick ? slopes_quick_gelu : slopes_gelu)(y, z_gradient, shape, scale, shift, centre, u_gradient,
                                            sums, centred_sums);
}

void combine_columns(const float* y, const RowsShape& shape, const float* a, const float* b,
                     const float* c, float* gradient) {
  combine(y, shape, a, b, c, gradient);
}

}  // namespace openworld

#pragma once

// Loops of a stem's layer (stem.h) on the CPU. Images lie as rows of pixels, channels last, so that
// a window of 3 x 3 pixels is three runs of memory, statistics of a channel are those of a column,
// and the output is what the transformer's blocks read. Channels come in eights.

#include <cstdint>

#include "openworld/checkpoint/clip_config.h"

namespace openworld {

// A 3 x 3 convolution with padding 1 of `images` squares.
struct WindowShape {
  std::int64_t images = 0;
  std::int64_t side = 0;
  std::int64_t channels = 0;
  std::int64_t stride = 1;

  std::int64_t out_side() const { return (side + stride - 1) / stride; }
  std::int64_t out_rows() const { return out_side() * out_side(); }  // of an image
  std::int64_t window() const { return 9 * channels; }
};

// The windows of images [first, first + count): [count * out_rows, window], zeros where the padding
// is. Order within a window: down, across, channel.
void gather_windows(const float* input, const WindowShape& shape, std::int64_t first,
                    std::int64_t count, float* windows);

// The transpose: adds windows to the pixels they were gathered from.
void scatter_windows(const float* windows, const WindowShape& shape, std::int64_t first,
                     std::int64_t count, float* input);

// [images, channels, pixels] as [images, pixels, channels].
void channels_last(const float* from, std::int64_t images, std::int64_t channels,
                   std::int64_t pixels, float* to);

// A matrix [rows, columns].
struct RowsShape {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// Mean and variance (over rows, not rows - 1) of each column, in two passes.
void column_moments(const float* y, const RowsShape& shape, double* mean, double* variance);

// z = activation(y scale + shift), scale and shift by column.
void activate_columns(const float* y, const RowsShape& shape, const float* scale,
                      const float* shift, Activation activation, float* z);

// The gradient of u = y scale + shift from that of z; sums of it by column, and of it times
// (y - centre).
void activation_gradient(const float* y, const float* z_gradient, const RowsShape& shape,
                         const float* scale, const float* shift, const float* centre,
                         Activation activation, float* u_gradient, double* sums,
                         double* centred_sums);

// gradient = gradient a + y b + c, a, b and c by column.
void combine_columns(const float* y, const RowsShape& shape, const float* a, const float* b,
                     const float* c, float* gradient);

}  // namespace openworld

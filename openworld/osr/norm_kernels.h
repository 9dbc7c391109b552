#pragma once

// Batch norm and LeakyReLU on activations whose channels lie side by side (channels last): rows of
// `channels` floats, one for each pixel. Sums are of floats over 64 rows, and of doubles over
// those.
//
//   z = s leaky(scale y + shift),  leaky(v) = v > 0 ? v : slope v
//
// with s, the mask of a dropout of whole channels, one row for each image or null.

#include <cstdint>

namespace openworld {

struct NormRows {
  const float* y = nullptr;     // [rows, channels]
  std::int64_t rows = 0;        // of all images of the part
  std::int64_t image_rows = 0;  // of one image
  std::int64_t channels = 0;
  const float* scale = nullptr;  // [channels]
  const float* shift = nullptr;
  const float* mask = nullptr;  // [images, channels], or null
  float slope = 0;
};

// Adds the sums of y and of y^2 to sum and square, [channels].
void add_moments(const float* y, std::int64_t rows, std::int64_t channels, double* sum,
                 double* square);

// Writes z.
void norm_forward(const NormRows& part, float* z);

// Adds the sums of g and of g y to sum and product, [channels], where g is the gradient of
// scale y + shift for the gradient dz of z.
void add_gradient_moments(const NormRows& part, const float* dz, double* sum, double* product);

// Writes dy = scale g + by_y y + constant, the gradient of y; by_y and constant are [channels].
void norm_backward(const NormRows& part, const float* dz, const float* by_y, const float* constant,
                   float* dy);

}  // namespace openworld

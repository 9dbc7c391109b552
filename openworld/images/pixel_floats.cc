#include "openworld/images/pixel_floats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "openworld/base/error.h"

namespace openworld {

void check_preprocessing(std::string_view function, const Preprocessing& preprocessing,
                         std::span<const float> chw) {
  const std::int64_t n = preprocessing.image_size;
  constexpr std::int64_t kMaxSide = 1 << 20;  // 3 n^2 then fits 64 bits by far
  if (n < 1 || n > kMaxSide) {
    fail(function, fmt::format("image_size is {}; expected 1 to {}", n, kMaxSide));
  }
  if (chw.size() != static_cast<std::size_t>(3 * n * n)) {
    fail(function, fmt::format("the output has {} values; expected 3 * {} * {}", chw.size(), n, n));
  }
  for (const double std : preprocessing.std) {
    if (!(std > 0)) fail(function, fmt::format("std is {}; expected it above 0", std));
  }
}

void write_floats(const Image& image, const Preprocessing& preprocessing, bool flip,
                  std::span<float> chw) {
  const std::size_t n = static_cast<std::size_t>(image.width);
  std::array<float, 256> values;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto mean = static_cast<float>(preprocessing.mean[c]);
    const auto std = static_cast<float>(preprocessing.std[c]);
    for (int v = 0; v < 256; ++v) values[v] = (static_cast<float>(v) / 255.0f - mean) / std;
    for (std::size_t y = 0; y < n; ++y) {
      float* out = &chw[(c * n + y) * n];
      const std::uint8_t* row = &image.rgb[3 * n * y + c];
      for (std::size_t x = 0; x < n; ++x) out[x] = values[row[3 * x]];
      if (flip) std::reverse(out, out + n);
    }
  }
}

}  // namespace openworld

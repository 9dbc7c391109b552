#include "openworld/images/transform.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "openworld/base/error.h"
#include "openworld/images/resample.h"

namespace openworld {
namespace {

void check(std::string_view function, const Preprocessing& preprocessing,
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

// REQUIRES: `image` is n x n and chw holds 3 n^2 values.
void to_floats(const Image& image, const Preprocessing& preprocessing, bool flip,
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

// round(margin / 2), halves to even.
std::int64_t middle(std::int64_t margin) {
  const std::int64_t half = margin / 2;
  return margin % 2 == 0 ? half : half + half % 2;
}

}  // namespace

void clip_transform(const ImageView& image, const Preprocessing& preprocessing,
                    std::span<float> chw) {
  check("clip_transform", preprocessing, chw);
  const std::int64_t n = preprocessing.image_size;
  const std::int64_t shorter = std::min(image.width, image.height);
  ResizeOptions options;
  options.width = n * image.width / shorter;
  options.height = n * image.height / shorter;
  // Only the crop is computed: a quarter less work for a photograph, and an image of 1 x 10^8
  // pixels does not become one of 224 x 10^10.
  options.part = Rect{middle(options.width - n), middle(options.height - n), n, n};
  to_floats(resize(image, options), preprocessing, false, chw);
}

Augmentation draw_augmentation(int width, int height, Random& random) {
  constexpr double kMinScale = 0.08, kMaxScale = 1.0;
  constexpr double kMinRatio = 3.0 / 4.0, kMaxRatio = 4.0 / 3.0;
  constexpr int kTries = 10;
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  const auto round = [](double x) { return static_cast<std::int64_t>(std::nearbyint(x)); };

  Augmentation result;
  Rect& crop = result.crop;
  bool found = false;
  for (int i = 0; i < kTries && !found; ++i) {
    const double area = static_cast<double>(width) * height * uniform(kMinScale, kMaxScale);
    const double ratio = std::exp(uniform(std::log(kMinRatio), std::log(kMaxRatio)));
    crop.width = round(std::sqrt(area * ratio));
    crop.height = round(std::sqrt(area / ratio));
    found = 0 < crop.width && crop.width <= width && 0 < crop.height && crop.height <= height;
  }
  if (found) {
    crop.top = static_cast<std::int64_t>(random.below(height - crop.height + 1));
    crop.left = static_cast<std::int64_t>(random.below(width - crop.width + 1));
  } else {
    const double ratio = static_cast<double>(width) / height;
    crop.width = ratio > kMaxRatio ? round(height * kMaxRatio) : width;
    crop.height = ratio < kMinRatio ? round(width / kMinRatio) : height;
    crop.top = (height - crop.height) / 2;
    crop.left = (width - crop.width) / 2;
  }
  result.flip = random.uniform() < 0.5;
  return result;
}

void augmented_transform(const ImageView& image, const Preprocessing& preprocessing,
                         const Augmentation& augmentation, std::span<float> chw) {
  check("augmented_transform", preprocessing, chw);
  const Rect& crop = augmentation.crop;
  assert(crop.left >= 0 && crop.left + crop.width <= image.width);
  assert(crop.top >= 0 && crop.top + crop.height <= image.height);
  ResizeOptions options;
  options.width = options.height = preprocessing.image_size;
  to_floats(resize(image.crop(crop), options), preprocessing, augmentation.flip, chw);
}

void train_transform(const ImageView& image, const Preprocessing& preprocessing,
                     const AugmentationName& name, std::span<float> chw) {
  Random random(mix64(mix64(name.seed) ^ name.epoch), name.index);
  augmented_transform(image, preprocessing, draw_augmentation(image.width, image.height, random),
                      chw);
}

}  // namespace openworld

#include "openworld/images/transform.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "openworld/images/pixel_floats.h"
#include "openworld/images/resample.h"

namespace openworld {
namespace {

// round(margin / 2), halves to even.
std::int64_t middle(std::int64_t margin) {
  const std::int64_t half = margin / 2;
  return margin % 2 == 0 ? half : half + half % 2;
}

}  // namespace

void clip_transform(const ImageView& image, const Preprocessing& preprocessing,
                    std::span<float> chw) {
  check_preprocessing("clip_transform", preprocessing, chw);
  const std::int64_t n = preprocessing.image_size;
  const std::int64_t shorter = std::min(image.width, image.height);
  ResizeOptions options;
  options.width = n * image.width / shorter;
  options.height = n * image.height / shorter;
  // Only the crop is computed: a quarter less work for a photograph, and an image of 1 x 10^8
  // pixels does not become one of 224 x 10^10.
  options.part = Rect{middle(options.width - n), middle(options.height - n), n, n};
  write_floats(resize(image, options), preprocessing, false, chw);
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
  check_preprocessing("augmented_transform", preprocessing, chw);
  const Rect& crop = augmentation.crop;
  assert(crop.left >= 0 && crop.left + crop.width <= image.width);
  assert(crop.top >= 0 && crop.top + crop.height <= image.height);
  ResizeOptions options;
  options.width = options.height = preprocessing.image_size;
  write_floats(resize(image.crop(crop), options), preprocessing, augmentation.flip, chw);
}

Random augmentation_stream(const AugmentationName& name) {
  return Random(mix64(mix64(name.seed) ^ name.epoch), name.index);
}

void train_transform(const ImageView& image, const Preprocessing& preprocessing,
                     const AugmentationName& name, std::span<float> chw) {
  Random random = augmentation_stream(name);
  augmented_transform(image, preprocessing, draw_augmentation(image.width, image.height, random),
                      chw);
}

}  // namespace openworld

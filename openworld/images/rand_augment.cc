#include "openworld/images/rand_augment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "openworld/base/error.h"
#include "openworld/images/pillow_ops.h"

namespace openworld {
namespace {

double either_way(double value, Random& random) {
  return random.uniform() > 0.5 ? -value : value;
}

Image shear_x(const ImageView& image, double strength, Random& random) {
  return affine_nearest(image, {1, either_way(strength, random), 0, 0, 1, 0});
}

Image shear_y(const ImageView& image, double strength, Random& random) {
  return affine_nearest(image, {1, 0, 0, either_way(strength, random), 1, 0});
}

Image translate_x(const ImageView& image, double pixels, Random& random) {
  return affine_nearest(image, {1, 0, either_way(pixels, random), 0, 1, 0});
}

Image translate_y(const ImageView& image, double pixels, Random& random) {
  return affine_nearest(image, {1, 0, 0, 0, 1, either_way(pixels, random)});
}

Image rotate(const ImageView& image, double degrees, Random& random) {
  return rotate_nearest(image, either_way(degrees, random));
}

// A square of `side` around a uniform point; cut at the left and upper border it keeps its size.
// The last row and column that Pillow draws make it a pixel larger.
Image cutout(const ImageView& image, double side, Random& random) {
  constexpr std::array<std::uint8_t, 3> kGrey = {125, 123, 114};
  const double x = random.uniform() * image.width, y = random.uniform() * image.height;
  const double left = static_cast<int>(std::max(0.0, x - side / 2));
  const double top = static_cast<int>(std::max(0.0, y - side / 2));
  return fill_rectangle(image,
                        {left, top, std::min<double>(image.width, left + side),
                         std::min<double>(image.height, top + side)},
                        kGrey);
}

// Operations without a direction, and those without a strength.
template <auto Operation>
Image scaled(const ImageView& image, double strength, Random&) {
  return Operation(image, strength);
}

template <auto Operation>
Image plain(const ImageView& image, double, Random&) {
  return Operation(image);
}

// The strength is the number of bits, at least one: the images keep few of them, 0 to 4.
Image keep_bits(const ImageView& image, double bits, Random&) {
  return posterize(image, std::max(1, static_cast<int>(bits)));
}

// Those with motions at the ends, so that a part of it is the other list.
constexpr std::array kOperations = {
    RandAugmentOperation{"Rotate", 0, 30, rotate},
    RandAugmentOperation{"AutoContrast", 0, 1, plain<autocontrast>},
    RandAugmentOperation{"Equalize", 0, 1, plain<equalize>},
    RandAugmentOperation{"Invert", 0, 1, plain<invert>},
    RandAugmentOperation{"Posterize", 0, 4, keep_bits},
    RandAugmentOperation{"Solarize", 0, 256, scaled<solarize>},
    RandAugmentOperation{"SolarizeAdd", 0, 110, scaled<solarize_add>},
    RandAugmentOperation{"Color", 0.1, 1.9, scaled<enhance_color>},
    RandAugmentOperation{"Contrast", 0.1, 1.9, scaled<enhance_contrast>},
    RandAugmentOperation{"Brightness", 0.1, 1.9, scaled<enhance_brightness>},
    RandAugmentOperation{"Sharpness", 0.1, 1.9, scaled<enhance_sharpness>},
    RandAugmentOperation{"ShearX", 0, 0.3, shear_x},
    RandAugmentOperation{"ShearY", 0, 0.3, shear_y},
    RandAugmentOperation{"CutoutAbs", 0, 40, cutout},
    RandAugmentOperation{"TranslateXabs", 0, 100, translate_x},
    RandAugmentOperation{"TranslateYabs", 0, 100, translate_y},
};

}  // namespace

std::span<const RandAugmentOperation> rand_augment_operations(RandAugmentList list) {
  const std::span<const RandAugmentOperation> all = kOperations;
  return list == RandAugmentList::kAll ? all : all.subspan(1, all.size() - 3);
}

void check_rand_augment(const RandAugment& augment, std::string_view function) {
  if (augment.n < 0 || augment.n > 16) {
    fail(function, fmt::format("RandAugment has n = {}; expected 0 to 16 operations", augment.n));
  }
  if (!(augment.m >= 0 && augment.m <= 30)) {
    fail(function, fmt::format("RandAugment has m = {}; expected 0 to 30", augment.m));
  }
}

Image rand_augment(const ImageView& image, const RandAugment& augment, Random& random) {
  assert(augment.n >= 1);
  const auto operations = rand_augment_operations(augment.list);
  Image result = make_image(0, 0);
  for (int i = 0; i < augment.n; ++i) {
    const RandAugmentOperation& operation = operations[random.below(operations.size())];
    const double strength = augment.m / 30 * (operation.high - operation.low) + operation.low;
    result = operation.apply(i == 0 ? image : ImageView(result), strength, random);
  }
  return result;
}

}  // namespace openworld

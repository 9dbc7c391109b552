#pragma once

// Images to the floats that a small network reads: [3, n, n], channels first.
//
// Bit for bit torchvision on Pillow images: Resize((n, n)), bilinear, then ToTensor and Normalize;
// in training RandAugment before the resizing, and RandomCrop(n, padding) with black around and
// RandomHorizontalFlip after it. Preprocessing::image_size is n; a mean of 0 and a std of 1 are
// ToTensor alone.

#include <cstdint>
#include <span>
#include <string_view>

#include "openworld/images/image.h"
#include "openworld/images/preprocessing.h"
#include "openworld/images/rand_augment.h"
#include "openworld/images/transform.h"

namespace openworld {

// value / 255, as ARPL's code feeds its network.
inline constexpr Preprocessing kPlainPixels = {32, {0, 0, 0}, {1, 1, 1}};
// What Vaze et al. and OpenAUC normalise every small dataset with, MNIST too.
inline constexpr Preprocessing kCifarPixels = {
    32, {0.4914, 0.4822, 0.4465}, {0.2023, 0.1994, 0.2010}};

struct SquareAugmentation {
  RandAugment rand = {};
  int padding = 0;    // 0: no crop
  bool flip = false;  // with probability 1/2

  bool operator==(const SquareAugmentation&) const = default;
};

// The choices after RandAugment: where the crop starts in the image, and whether it is flipped.
struct SquareChoices {
  int left = 0, top = 0;  // -padding to padding; below 0 the crop starts in the padding
  bool flip = false;
};

SquareChoices draw_square_choices(const SquareAugmentation& augmentation, Random& random);

// Throws Error for a padding below 0 or above n, and as check_rand_augment does.
void check_square_augmentation(const SquareAugmentation& augmentation, std::int64_t n,
                               std::string_view function);

// Throws Error unless chw.size() = 3 n^2.
void square_transform(const ImageView& image, const Preprocessing& preprocessing,
                      std::span<float> chw);

// The same with random choices, which depend on `name` alone. Throws Error, also as
// check_square_augmentation does.
void square_train_transform(const ImageView& image, const Preprocessing& preprocessing,
                            const SquareAugmentation& augmentation, const AugmentationName& name,
                            std::span<float> chw);

}  // namespace openworld

#pragma once

// Images to the floats that a small network reads: [3, n, n], channels first.
//
// Bit for bit torchvision on Pillow images: Resize((n, n)), bilinear, then ToTensor and Normalize;
// in training RandAugment before the resizing, and RandomCrop(n, padding) with black around and
// RandomHorizontalFlip after it. Preprocessing::image_size is n; a mean of 0 and a std of 1 are
// ToTensor alone.

#include <span>

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

// Throws Error unless chw.size() = 3 n^2.
void square_transform(const ImageView& image, const Preprocessing& preprocessing,
                      std::span<float> chw);

// The same with the random choices that belong to `name` alone. Throws Error, also for a padding
// below 0 or above n.
void square_train_transform(const ImageView& image, const Preprocessing& preprocessing,
                            const SquareAugmentation& augmentation, const AugmentationName& name,
                            std::span<float> chw);

}  // namespace openworld

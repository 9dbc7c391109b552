#pragma once

// Images to the floats that a vision tower reads: [3, n, n], channels first, n = image_size.
//
// Bit for bit what torchvision computes on Pillow images. The conversion to floats is, in single
// precision and in this order, (value / 255 - mean) / std.

#include <cstdint>
#include <span>

#include "openworld/base/random.h"
#include "openworld/images/image.h"
#include "openworld/images/preprocessing.h"

namespace openworld {

// The test transform of CLIP: the shorter side becomes n, the longer floor(n * longer / shorter),
// bicubic; then the n x n pixels in the middle. Where the margin is odd, the offset is the even one
// of its two neighbours, as Python rounds. Throws Error unless chw.size() = 3 n^2.
void clip_transform(const ImageView& image, const Preprocessing& preprocessing,
                    std::span<float> chw);

// The random choices of the training transform.
struct Augmentation {
  Rect crop;
  bool flip = false;  // left and right change places
};

// Torchvision's RandomResizedCrop and RandomHorizontalFlip with the values that CoOp's family uses:
// area uniform in [0.08, 1] of the image, log of width / height uniform in log [3/4, 4/3], any
// place; the first of 10 tries that fits, else the middle as far as the ratio allows. Flipped with
// probability 1/2.
Augmentation draw_augmentation(int width, int height, Random& random);

// The crop resized to n x n, bicubic, and flipped. Throws Error as clip_transform does.
// REQUIRES: the crop lies within the image.
void augmented_transform(const ImageView& image, const Preprocessing& preprocessing,
                         const Augmentation& augmentation, std::span<float> chw);

// Names the augmentation of an image, independent of the thread and time that draw it.
struct AugmentationName {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;
  std::uint64_t index = 0;
};

// The random numbers of that name.
Random augmentation_stream(const AugmentationName& name);

// draw_augmentation from the stream of that name, then augmented_transform.
void train_transform(const ImageView& image, const Preprocessing& preprocessing,
                     const AugmentationName& name, std::span<float> chw);

}  // namespace openworld

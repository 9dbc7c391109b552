#pragma once

// RandAugment (Cubuk et al., 2020) as open-set recognition uses it: the 16 operations, their ranges
// and the code's rules of "A Good Closed-Set Classifier is All You Need?" (Vaze et al., 2022),
// which took them from ildoonet/pytorch-randaugment. Each of n operations is drawn with replacement
// and has the strength low + m / 30 (high - low); those with a direction take either with
// probability 1/2. The bits of an operation are Pillow's (pillow_ops.h); the draws are our own.

#include <span>
#include <string_view>

#include "openworld/base/random.h"
#include "openworld/images/image.h"

namespace openworld {

enum class RandAugmentList {
  kAll,        // 16 operations
  kNoMotions,  // without rotation and translation, which that code leaves out for SVHN and MNIST
};

struct RandAugment {
  int n = 0;     // operations on an image; 0: none
  double m = 0;  // strength, 0 to 30
  RandAugmentList list = RandAugmentList::kAll;

  bool operator==(const RandAugment&) const = default;
};

struct RandAugmentOperation {
  std::string_view name;  // "ShearX"
  double low, high;       // strength at m = 0 and m = 30
  // The image changed with that strength.
  Image (*apply)(const ImageView& image, double strength, Random& random);
};

std::span<const RandAugmentOperation> rand_augment_operations(RandAugmentList list);

// Throws Error unless 0 <= n <= 16 and 0 <= m <= 30.
void check_rand_augment(const RandAugment& augment, std::string_view function);

// REQUIRES: check_rand_augment passes; n >= 1; sides below 2^15.
Image rand_augment(const ImageView& image, const RandAugment& augment, Random& random);

}  // namespace openworld

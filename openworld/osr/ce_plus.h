#pragma once

// CE+ (Vaze et al., "Open-Set Recognition: a Good Closed-Set Classifier is All You Need?", ICLR
// 2022): cross-entropy with the recipe of a strong classifier: RandAugment, label smoothing, a
// cosine schedule with restarts, and the largest logit as score. For CIFAR-10 the code has
// rand_m=6, for MNIST rand_m=8; smoothing is 0 for both.

#include "openworld/osr/softmax.h"

namespace openworld {

struct CePlusOptions : SoftmaxOptions {
  CePlusOptions();
};

}  // namespace openworld

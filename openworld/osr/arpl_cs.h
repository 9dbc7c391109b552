#pragma once

// ARPL+CS: ARPL with confusing samples. A GAN (gan.h) draws images that look real and of which the
// network is unsure; the network learns to be unsure of them, with a second set of batch norms.
//
//   confusion = generated_weight * exp(mean_i sum_c p log p),  p = softmax(D)
//
// is added to the loss of the network and to that of the generator. Every epoch goes over the
// samples twice: once with generated images, once without. For images only.

#include "openworld/osr/arpl.h"

namespace openworld {

struct ArplCsOptions : ArplOptions {
  double generated_weight = 0.1;
  double gan_lr = 2e-4;

  void declare(OptionList& list) override;
  bool generates() const override { return true; }
  double generator_lr() const override { return gan_lr; }
  double confusion_weight() const override { return generated_weight; }
};

}  // namespace openworld

#pragma once

// Two views of an image find each other among those of other images (SimCLR; Chen et al., 2020,
// with the views of other images in one direction each, as images and captions in CLIP): what an
// image without a name can still teach.

#include <ATen/core/Tensor.h>

namespace openworld {

struct AgreementLoss {
  at::Tensor loss;      // the mean of both directions, a scalar
  double accuracy = 0;  // of first views whose nearest second view is their own
};

// Views [n, e], not normalised; row i of both is of one image. Cosines are divided by the
// temperature.
AgreementLoss agreement_loss(const at::Tensor& first, const at::Tensor& second, double temperature);

}  // namespace openworld

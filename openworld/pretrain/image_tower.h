#pragma once

// A vision tower as it is trained: the features of encode_images (vlm/vision_tower.h), with batch
// normalisation in the stem, and on kernels for small images. To float rounding both give the same
// for a stem without norms.

#include <ATen/core/Tensor.h>

#include <span>

#include "openworld/pretrain/stem.h"
#include "openworld/vlm/vision_tower.h"

namespace openworld {

// Features [n, embed] of normalised images [n, 3, size, size], not normalised. `norms` and
// `moments` as in stem_rows. Differentiable in the weights. REQUIRES: the images are on the tower's
// device, of its size.
at::Tensor train_image_features(const VisionTower& tower, std::span<const StemNorm> norms,
                                const at::Tensor& images, StemMoments* moments = nullptr);

// activation(x), differentiable.
at::Tensor train_activation(const at::Tensor& x, Activation activation);

// Floating-point operations of the matrix products of one image, forward.
double image_flops(const ClipConfig& config);

}  // namespace openworld

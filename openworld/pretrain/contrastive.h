#pragma once

// The contrastive loss of CLIP (Radford et al., 2021), for pairs of which some mean the same.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>

#include "openworld/pretrain/spec/pretrain_options.h"

namespace openworld {

struct ContrastiveLoss {
  at::Tensor loss;      // the mean of both directions, a scalar
  double accuracy = 0;  // of images whose best caption has their concept
};

// Images [n, e] and captions [m, e], m >= n, not normalised; caption i belongs to image i, those
// from n on to no image: more wrong answers at the price of a text. `logit_scale` is the
// model's parameter: the log of the scale. Concepts are of the images and of the captions. Captions
// choose among images only if they have one.
ContrastiveLoss contrastive_loss(const at::Tensor& images, const at::Tensor& captions,
                                 const at::Tensor& logit_scale,
                                 std::span<const std::uint64_t> image_concepts,
                                 std::span<const std::uint64_t> caption_concepts,
                                 const ContrastiveOptions& options = {});

// How well images [n, e] are named out of a list [m, e] in which each concept stands once or more:
// cross entropy, where all entries of an image's concept are right. Throws Error for an image whose
// concept is not on the list.
ContrastiveLoss naming_loss(const at::Tensor& images, const at::Tensor& names,
                            const at::Tensor& logit_scale,
                            std::span<const std::uint64_t> image_concepts,
                            std::span<const std::uint64_t> name_concepts, double smoothing = 0);

}  // namespace openworld

#pragma once

// The stem of a vision tower in training: its convolutions with batch normalisation (Ioffe and
// Szegedy, 2015), without which a small stem learns slowly, or not at all from a random init.
//
//   z = activation(weight (y - mean) / sqrt(variance + eps) + bias),  y = convolution of x
//
// In training mean and variance are those of the images that are computed together: a part of the
// batch (ghost batch normalisation; Hoffer et al., 2017). They depend on how a batch is cut into
// parts, which is an option, and not on threads, and no part waits for another. Running means of
// both over the steps are what a finished model uses; folded() puts them into weights and biases of
// plain convolutions, so that a checkpoint needs no normalisation.
//
// On the CPU a layer is gathered windows, one product and one loop over its output; torch's
// operations on other devices, and for channels that do not come in eights.

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <vector>

#include "openworld/vlm/vision_tower.h"

namespace openworld {

// Of one layer, all [channels]. The bias of the normalisation is that of the convolution.
struct StemNorm {
  at::Tensor weight;
  at::Tensor mean, variance;  // running; no gradient
};

// Mean and variance of the outputs of each layer over some images; the variance is the unbiased
// one, as running variances have it.
struct StemMoments {
  std::vector<at::Tensor> means, variances;
};

inline constexpr double kNormEpsilon = 1e-5;

// Share of a step in the running statistics.
inline constexpr double kNormMomentum = 0.1;

// Identity: weight 1, mean 0, variance 1.
std::vector<StemNorm> make_stem_norms(const ClipConfig& config);

// Rows of pixels, channels last: [n * side * side, channels] of images [n, 3, size, size]. With
// norms it normalises by the images' own statistics and leaves them in `moments` unless it is null.
// Differentiable in the weights of tower and norms. REQUIRES: the tower has a stem; as many norms
// as layers, or none.
at::Tensor stem_rows(const VisionTower& tower, std::span<const StemNorm> norms,
                     const at::Tensor& images, StemMoments* moments = nullptr);

// The convolution that gives the same as `layer` followed by the norm with its running statistics.
Affine folded(const Affine& layer, const StemNorm& norm);

// Moves the running statistics towards the mean of those of the parts of a step, taken in order.
void update_running(std::span<const StemNorm> norms, std::span<const StemMoments> parts);

}  // namespace openworld

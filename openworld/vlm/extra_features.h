#pragma once

// Features of images beyond the one that image_features gives: of their patches, and of
// random views of them.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "openworld/vlm/clip.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

struct ExtraFeatureOptions {
  std::size_t batch = 32;
  int threads = 0;  // that read and decode; 0: all cores
  std::function<void(std::size_t done, std::size_t total)> on_progress = {};
};

// Features [samples, grid * grid, embed] of the patches, as LoCoOp has them (VisionFeatures::local,
// projected and normalised). Throws Error for an image that cannot be read.
at::Tensor patch_features(const Clip& clip, const Dataset& dataset,
                          const ExtraFeatureOptions& options = {});

// The same before the projection, [samples, grid * grid, vision width], as GalLoP has them.
at::Tensor patch_states(const Clip& clip, const Dataset& dataset,
                        const ExtraFeatureOptions& options = {});

// Features [views, samples, embed], not normalised, of random resized crops, flipped or not
// (transform.h); view v of sample i is the augmentation named (seed, v, i). Throws Error for an
// image that cannot be read.
at::Tensor view_features(const Clip& clip, const Dataset& dataset, std::int64_t views,
                         std::uint64_t seed, const ExtraFeatureOptions& options = {});

}  // namespace openworld

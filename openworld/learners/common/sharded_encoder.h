#pragma once

// Image features with learned rows in the vision tower (VPT, MaPLe, PromptSRC, RPO), computed for
// parts of a batch side by side on threads.
//
// Every part has a graph of its own, on copies of the prompts, that a custom function hides; its
// backward pass goes through all parts side by side and adds their gradients in the order of the
// parts. How many parts there are depends on the sizes of batch and model alone, so that the number
// of threads does not change a bit. Parts keep what their backward pass needs while the memory
// lasts; the others are computed again when their gradient arrives.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "openworld/base/worker_pool.h"
#include "openworld/vlm/vision_tower.h"

namespace openworld {

struct ShardingOptions {
  std::int64_t memory_mib = 2048;  // for what is kept from forward to backward; 0: nothing is
  // Multiplications of the forward pass that make a part, some 10 ms of work: below, threads cost
  // more than they give. The last bits of gradients depend on it.
  double part_work = 4e8;
};

// REQUIRES: the tower, without gradients of its own, outlives it; it outlives the graphs it made.
class ShardedEncoder {
 public:
  // threads = 0: all cores.
  ShardedEncoder(const VisionTower& tower, int threads, const ShardingOptions& options = {});

  // As encode_images(tower, images, options), differentiable in the rows of the prompts, as often
  // as one likes while the result lives. Images and mask get no gradient.
  VisionFeatures features(const at::Tensor& images, const VisionOptions& options);

  // Parts of a batch of so many images, and how many of them keep their graph, if each image has
  // `prompt_rows` rows beside its own. With read_only only these have a graph; with keeps_weights
  // it keeps the weights of attention, too.
  std::int64_t parts(std::int64_t images, std::int64_t prompt_rows = 0) const;
  std::int64_t kept_parts(std::int64_t images, std::int64_t prompt_rows = 0, bool read_only = false,
                          bool keeps_weights = false) const;

 private:
  struct Graph;
  struct Encode;

  const VisionTower* tower_;
  ShardingOptions options_;
  WorkerPool pool_;
};

}  // namespace openworld

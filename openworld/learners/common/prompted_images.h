#pragma once

// What learners with rows in the vision tower share: features of images with those rows, and how
// deep they go.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "openworld/base/worker_pool.h"
#include "openworld/learners/common/prompt_list.h"
#include "openworld/learners/common/sharded_encoder.h"

namespace openworld {

// REQUIRES: the model outlives it.
class PromptedImages {
 public:
  explicit PromptedImages(const TextModel& model);

  // Normalised features [images, read-outs, embed], differentiable in the rows of the prompts.
  // Throws Error if `pixels` are undefined.
  at::Tensor features(const at::Tensor& pixels, const VisionOptions& options);

  // The same without gradients, every image by itself (encode_each.h).
  at::Tensor features_of_each(const at::Tensor& pixels, const VisionOptions& options = {});

 private:
  const VisionTower* tower_;
  ShardedEncoder encoder_;
  WorkerPool pool_;
};

// Rows [n, d] at block 0 and `deep` [blocks - 1, n, d] at those after it.
std::vector<VisualPrompt> deep_prompts(const at::Tensor& first, const at::Tensor& deep);

// How many blocks have prompts: what the option `depth` asks for, or, where it is 0, `released`, or
// as many as a tower of `blocks` has. Throws Error for more than there are; `tower` names it.
std::int64_t prompt_depth(std::int64_t asked, std::int64_t released, std::int64_t blocks,
                          std::string_view tower);

// 1, 2, ..., depth - 1
std::vector<std::int32_t> blocks_after_first(std::int64_t depth);

}  // namespace openworld

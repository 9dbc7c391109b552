#pragma once

// What the tests of this layer share: random models, random prompts, and CLIP's text tower as its
// authors run it, all prompts padded to the full context.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/vlm/clip.h"
#include "openworld/vlm/text_forest.h"

namespace openworld {

// Sizes of a model small enough for many trials, with nothing equal to anything else.
ClipConfig small_config();
// ViT-B/16 with its text tower only: the vision tower has no blocks.
ClipConfig vit_b16_text_config();

// Weights of the size that CLIP's initialisation gives; norms and biases away from 1 and 0.
Clip random_clip(const ClipConfig& config, std::uint64_t seed);

at::Tensor random_tensor(const std::vector<std::int64_t>& shape, std::uint64_t seed);

// A prompt and the positions of its rows that are read.
struct TestPrompt {
  std::vector<PromptRow> rows;
  std::vector<std::size_t> reads;
};

// All prompts, one path each; rows that are not visible hang side by side below the last visible
// one.
TextForest forest_of(const std::vector<TestPrompt>& prompts);

// LayerNorm, and one block on x [batch, rows, d] with a mask that is added to the scores, in plain
// torch operations.
at::Tensor naive_norm(const at::Tensor& x, const Affine& norm, double eps);
at::Tensor naive_block(const at::Tensor& x, const BlockWeights& w, const ClipConfig& config,
                       std::int64_t heads, const at::Tensor& mask);

// Features [read-outs, embed] from [prompts, context] rows with a causal mask, in plain torch
// operations on the weights alone.
at::Tensor padded_features(const Clip& clip, const std::vector<TestPrompt>& prompts,
                           const at::Tensor& learnable);

// The same in slices of a few prompts; the gradient of sum(features * cotangent) with respect to
// `learnable` as second.
std::pair<at::Tensor, at::Tensor> padded_features_and_gradient(
    const Clip& clip, const std::vector<TestPrompt>& prompts, const at::Tensor& learnable,
    const at::Tensor& cotangent);

// Largest difference over largest value.
double relative_error(const at::Tensor& a, const at::Tensor& b);

enum class NamePlace { kFront, kMiddle, kEnd };

struct PromptShape {
  std::int64_t classes = 3;
  std::int64_t context_rows = 4;
  std::int64_t longest_name = 12;
  NamePlace place = NamePlace::kEnd;
  std::vector<std::int32_t> deep_blocks = {};  // context rows are replaced at these blocks
  bool deep_per_class = false;                 // and by rows of each class's own
  std::int64_t appended = 0;                   // unseen rows after the end, read instead of it
};

// Prompts of that shape with random names, and how many learnable rows they use.
std::vector<TestPrompt> random_prompts(const ClipConfig& config, const PromptShape& shape,
                                       Random& random, std::int64_t& learnable_rows);

}  // namespace openworld

#pragma once

// CLIP's vision tower (Radford et al., 2021), with the places where prompt learners reach in.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/vlm/block.h"

namespace openworld {

struct VisionWeights {
  std::vector<Affine> stem;         // convolutions, [out, in, 3, 3]
  at::Tensor patch;                 // [d, 3 or the stem's channels, P, P]
  at::Tensor class_embedding;       // [d]
  at::Tensor positional_embedding;  // [1 + grid * grid, d]
  Affine ln_pre;
  std::vector<BlockWeights> blocks;
  Affine ln_post;
  at::Tensor projection;  // [d, embed]
};

struct VisionTower {
  ClipConfig config;
  VisionWeights weights;
};

// Rows [n, d], or one set per image [images, n, d]. For block 0 they are appended after the
// patches, without a position and before ln_pre; at the input of a later block they replace the
// last n rows (VPT, MaPLe, PromptSRC).
struct VisualPrompt {
  std::int64_t block = 0;
  at::Tensor rows;
};

struct VisionOptions {
  std::vector<VisualPrompt> prompts = {};  // by increasing block
  at::Tensor mask = {};  // added to attention scores, [rows, rows]; may be undefined
  std::vector<std::int64_t> readouts = {0};  // rows to read; negative ones count from the end
  bool local = false;                        // whether patches are wanted

  // The one prompt, at block 0, is seen by no row, itself included, and its rows are what is read
  // (RPO). The image's own rows are then what they are without it: they run without a graph.
  // Excludes mask, readouts and local.
  bool read_only = false;
};

struct VisionFeatures {
  at::Tensor features;  // [images, read-outs, embed], not normalised

  // Patches as LoCoOp and GalLoP use them: through the last block's values, without mixing, and
  // ln_post, before the projection; [images, grid * grid, d]. Undefined unless asked for.
  at::Tensor local;
};

// One block on rows x [images, rows, d] that all see each other, but for `mask`.
at::Tensor vision_block(const at::Tensor& x, const BlockWeights& block, const ClipConfig& config,
                        const at::Tensor& mask = {});

// Features of normalised images [n, 3, size, size], which may be on the CPU whatever the tower's
// device. The last block computes only the rows that are read. Differentiable in the images, the
// prompts and, where they require it, the weights.
VisionFeatures encode_images(const VisionTower& tower, const at::Tensor& images,
                             const VisionOptions& options = {});

}  // namespace openworld

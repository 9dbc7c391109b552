#pragma once

// CLIP's text tower (Radford et al., 2021) on a text forest: embeddings, causal blocks, final norm
// and projection, of the rows that matter and of no others. The only text path of the project.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/vlm/block.h"
#include "openworld/vlm/forest_attention.h"
#include "openworld/vlm/forest_plan.h"

namespace openworld {

struct TextWeights {
  at::Tensor token_embedding;       // [vocabulary, d]
  at::Tensor positional_embedding;  // [context, d]
  std::vector<BlockWeights> blocks;
  Affine ln_final;
  at::Tensor projection;  // [d, embed]

  bool requires_grad() const;
};

struct TextTower {
  ClipConfig config;
  TextWeights weights;
};

// What the frozen rows of a plan contribute: the same in every step, so it is computed once.
struct FrozenRows {
  std::vector<at::Tensor> kv;      // per block, [frozen rows, 2 d]
  std::vector<at::Tensor> states;  // per stage, the frozen rows where it ends
  at::Tensor features;             // of the frozen read-outs, [n, embed]
};

// A plan as a tower runs it, as often as one likes. REQUIRES: the tower outlives it.
class ForestRun {
 public:
  // Throws Error if the plan needs a position, a token or a block that the tower does not have.
  ForestRun(const TextTower& tower, const ForestPlan& plan);

  // No gradient. With `keep` also what live rows will ask for: keys, values and states.
  FrozenRows frozen_rows(bool keep) const;

  // Features [read-outs, embed], not normalised, in the order of the plan's read-outs.
  // Differentiable in `learnable` [>= plan.learnable_rows, d], which may be undefined if the plan
  // has no live row.
  at::Tensor features(const FrozenRows& frozen, const at::Tensor& learnable) const;

  std::int64_t learnable_rows() const { return learnable_rows_; }
  bool has_live_rows() const;

  // Bytes that autograd keeps between forward and backward, and that FrozenRows keep.
  std::int64_t kept_bytes() const;
  std::int64_t frozen_bytes() const;

 private:
  // The frozen or the live rows of one stage.
  struct Rows {
    std::int64_t begin = 0;  // of the layout
    std::int64_t count = 0;
    ForestAttention attention;
    at::Tensor source;          // first stage: token per row, 0 where it is learnable
    at::Tensor learnable_at;    // first stage: rows (of this part) that are learnable, ...
    at::Tensor learnable_from;  // ... and which
    at::Tensor positioned_at;   // first stage: rows with a position; undefined: all
    at::Tensor position;
    bool seen = true;  // whether any row sees these: if not, they need no keys and values (RPO)
  };
  struct Stage {
    std::int64_t first_block = 0;
    std::int64_t end_block = 0;
    Rows frozen, live;
  };
  struct ReadOut {
    at::Tensor rows;  // of the part, in the last stage
    ForestAttention attention;
  };

  Rows first_rows(const ForestPlan& plan, bool live) const;
  Rows later_rows(const ForestPlan& plan, std::size_t stage, bool live) const;
  at::Device device() const { return tower_->weights.token_embedding.device(); }
  at::Tensor embed(const Rows& rows, const at::Tensor& learnable) const;
  at::Tensor run(bool live, const FrozenRows* frozen, const at::Tensor& learnable,
                 FrozenRows* kept) const;
  at::Tensor read_out(const at::Tensor& x, const Rows& rows, const ReadOut& out,
                      const at::Tensor& frozen_kv, FrozenRows* kept) const;

  const TextTower* tower_;
  std::int64_t learnable_rows_ = 0;
  std::vector<Stage> stages_;
  ReadOut frozen_out_, live_out_;
  at::Tensor order_;  // puts (frozen, live) features in the plan's order; undefined: they are
};

}  // namespace openworld

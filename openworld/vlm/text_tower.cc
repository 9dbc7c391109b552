#include "openworld/vlm/text_tower.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/matmul.h>
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;

// Frozen rows see frozen ones, live rows see all.
ForestAttention part_attention(const ForestLayout& layout, bool live, const at::Device& device) {
  return live ? make_forest_attention(layout.live_attention, layout.rows, device)
              : make_forest_attention(layout.frozen_attention, layout.frozen, device);
}

// Whether a query of the plan sees a row from `begin` on.
bool sees_from(const AttentionPlan& plan, std::int32_t begin) {
  return std::any_of(plan.ranges.begin(), plan.ranges.end(),
                     [begin](const RowRange& range) { return range.begin + range.count > begin; });
}

void check(const ClipConfig& config, const ForestPlan& plan) {
  constexpr auto kFunction = "encode_text";
  const ForestStage& first = plan.stages.front();
  const auto deepest = std::max_element(plan.position.begin(), plan.position.end());
  if (deepest != plan.position.end() && *deepest >= config.context) {
    fail(kFunction, fmt::format("a prompt has {} rows, the text tower has {} positions",
                                *deepest + 1, config.context));
  }
  const auto token = std::max_element(first.source.begin(), first.source.end());
  if (token != first.source.end() && *token >= config.vocabulary) {
    fail(kFunction, fmt::format("no token {}, the vocabulary has {}", *token, config.vocabulary));
  }
  if (plan.stages.back().first_block >= config.text.layers) {
    fail(kFunction, fmt::format("no block {} for a deep prompt, the text tower has {}",
                                plan.stages.back().first_block, config.text.layers));
  }
}

}  // namespace

bool TextWeights::requires_grad() const {
  return token_embedding.requires_grad() || positional_embedding.requires_grad() ||
         projection.requires_grad() || ln_final.weight.requires_grad() ||
         std::any_of(blocks.begin(), blocks.end(),
                     [](const BlockWeights& block) { return block.qkv.weight.requires_grad(); });
}

ForestRun::ForestRun(const TextTower& tower, const ForestPlan& plan)
    : tower_(&tower), learnable_rows_(plan.learnable_rows) {
  check(tower.config, plan);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const bool is_last = s + 1 == plan.stages.size();
    Stage& stage = stages_.emplace_back();
    stage.first_block = plan.stages[s].first_block;
    stage.end_block = is_last ? tower.config.text.layers : plan.stages[s + 1].first_block;
    stage.frozen = s == 0 ? first_rows(plan, false) : later_rows(plan, s, false);
    stage.live = s == 0 ? first_rows(plan, true) : later_rows(plan, s, true);
    const ForestLayout& layout = plan.stages[s].layout;
    // The attention of other devices has a column for every row.
    stage.live.seen = !uses_kernels(device()) || sees_from(layout.live_attention, layout.frozen) ||
                      (is_last && sees_from(plan.live_readout_attention, layout.frozen));
  }
  const ForestLayout& last = plan.stages.back().layout;
  frozen_out_ = {
      index_tensor(plan.frozen_readouts, device()),
      make_forest_attention(plan.frozen_readout_attention, last.frozen, device()),
  };
  live_out_ = {
      index_tensor(plan.live_readouts, device(), -last.frozen),
      make_forest_attention(plan.live_readout_attention, last.rows, device()),
  };
  if (!std::is_sorted(plan.feature.begin(), plan.feature.end())) {
    std::vector<std::int64_t> order(plan.feature.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      order[static_cast<std::size_t>(plan.feature[i])] = static_cast<std::int64_t>(i);
    }
    order_ = index_tensor(order, device());
  }
}

ForestRun::Rows ForestRun::first_rows(const ForestPlan& plan, bool live) const {
  const ForestStage& stage = plan.stages.front();
  Rows rows;
  rows.begin = live ? stage.layout.frozen : 0;
  rows.count = live ? stage.layout.live() : stage.layout.frozen;
  rows.attention = part_attention(stage.layout, live, device());
  std::vector<std::int64_t> tokens, learnable_at, learnable_from, positioned_at, position;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const auto r = static_cast<std::size_t>(rows.begin + i);
    const std::int32_t source = stage.source[r];
    tokens.push_back(std::max(source, 0));
    if (source < 0) {
      learnable_at.push_back(i);
      learnable_from.push_back(~source);
    }
    if (plan.position[r] >= 0) {
      positioned_at.push_back(i);
      position.push_back(plan.position[r]);
    }
  }
  rows.source = index_tensor(tokens, device());
  rows.learnable_at = index_tensor(learnable_at, device());
  rows.learnable_from = index_tensor(learnable_from, device());
  rows.position = index_tensor(position, device());
  if (position.size() < tokens.size()) rows.positioned_at = index_tensor(positioned_at, device());
  return rows;
}

// Here `source` indexes the rows before, frozen and live, followed by the learnable rows.
ForestRun::Rows ForestRun::later_rows(const ForestPlan& plan, std::size_t s, bool live) const {
  const ForestLayout& layout = plan.stages[s].layout;
  Rows rows;
  rows.begin = live ? layout.frozen : 0;
  rows.count = live ? layout.live() : layout.frozen;
  rows.attention = part_attention(layout, live, device());
  const std::int64_t before = plan.stages[s - 1].layout.rows;
  std::vector<std::int64_t> source;
  for (std::int64_t i = 0; i < rows.count; ++i) {
    const std::int32_t from = plan.stages[s].source[static_cast<std::size_t>(rows.begin + i)];
    source.push_back(from >= 0 ? from : before + ~from);
  }
  rows.source = index_tensor(source, device());
  return rows;
}

Tensor ForestRun::embed(const Rows& rows, const Tensor& learnable) const {
  const TextWeights& w = tower_->weights;
  Tensor x = w.token_embedding.index_select(0, rows.source);
  if (rows.learnable_at.numel() > 0) {
    x = x.index_copy(0, rows.learnable_at, learnable.index_select(0, rows.learnable_from));
  }
  const Tensor position = w.positional_embedding.index_select(0, rows.position);
  return rows.positioned_at.defined() ? x.index_add(0, rows.positioned_at, position) : x + position;
}

// The last block, of the read-out rows only: all rows are keys, few are queries.
Tensor ForestRun::read_out(const Tensor& x, const Rows& rows, const ReadOut& out,
                           const Tensor& frozen_kv, FrozenRows* kept) const {
  const ClipConfig& config = tower_->config;
  const BlockWeights& block = tower_->weights.blocks.back();
  const std::int64_t d = config.text.width;
  const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
  const Tensor kv = rows.seen ? linear(normed, outputs_of(block.qkv, d, 2 * d))
                              : at::empty({0, 2 * d}, normed.options());
  if (kept != nullptr) kept->kv.push_back(kv);
  if (out.rows.numel() == 0) return at::empty({0, config.embed}, x.options());

  const Tensor query = linear(normed.index_select(0, out.rows), outputs_of(block.qkv, 0, d));
  const Tensor attended =
      forest_attention(kv, query, frozen_kv, static_cast<std::int32_t>(rows.begin), out.attention,
                       config.text.heads);
  Tensor y = x.index_select(0, out.rows) + linear(attended, block.out);
  y = feed_forward(y, block, config);
  y = layer_norm(y, tower_->weights.ln_final, config.layer_norm_eps);
  return at::matmul(y, tower_->weights.projection);
}

// The frozen rows, or the live rows given what the frozen ones left.
Tensor ForestRun::run(bool live, const FrozenRows* frozen, const Tensor& learnable,
                      FrozenRows* kept) const {
  const ClipConfig& config = tower_->config;
  const std::int64_t d = config.text.width;
  const std::int64_t last = config.text.layers - 1;
  Tensor x;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    const Rows& rows = live ? stages_[s].live : stages_[s].frozen;
    if (s == 0) {
      x = embed(rows, learnable);
    } else if (live) {
      x = at::cat({frozen->states[s - 1], x, learnable}).index_select(0, rows.source);
    } else {
      x = x.index_select(0, rows.source);
    }
    for (std::int64_t b = stages_[s].first_block; b < stages_[s].end_block; ++b) {
      const Tensor frozen_kv = live ? frozen->kv[static_cast<std::size_t>(b)] : Tensor();
      if (b == last) return read_out(x, rows, live ? live_out_ : frozen_out_, frozen_kv, kept);
      const BlockWeights& block = tower_->weights.blocks[static_cast<std::size_t>(b)];
      const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
      const Tensor own =
          rows.seen ? linear(normed, block.qkv) : at::empty({0, 2 * d}, normed.options());
      const Tensor query = rows.seen ? Tensor() : linear(normed, outputs_of(block.qkv, 0, d));
      if (kept != nullptr) kept->kv.push_back(own.narrow(1, d, 2 * d).contiguous());
      const Tensor attended =
          forest_attention(own, query, frozen_kv, static_cast<std::int32_t>(rows.begin),
                           rows.attention, config.text.heads);
      x = feed_forward(x + linear(attended, block.out), block, config);
    }
    if (kept != nullptr) kept->states.push_back(x);
  }
  return x;  // not reached: the last block is in the last stage
}

FrozenRows ForestRun::frozen_rows(bool keep) const {
  at::NoGradGuard no_grad;
  FrozenRows frozen;
  frozen.features = run(false, nullptr, Tensor(), keep ? &frozen : nullptr);
  return frozen;
}

Tensor ForestRun::features(const FrozenRows& frozen, const Tensor& learnable) const {
  if (!has_live_rows()) return frozen.features;
  const Tensor live = run(true, &frozen, learnable, nullptr);
  if (frozen.features.size(0) == 0) return live;
  const Tensor both = at::cat({frozen.features, live});
  return order_.defined() ? both.index_select(0, order_) : both;
}

bool ForestRun::has_live_rows() const {
  return stages_.back().live.count > 0;
}

std::int64_t ForestRun::kept_bytes() const {
  const TowerConfig& text = tower_->config.text;
  std::int64_t floats = 0;
  for (const Stage& stage : stages_) {
    // Input of both norms, q, k, v and what enters the activation; attention weights.
    const std::int64_t block = stage.live.count * (5 * text.width + text.mlp) +
                               stage.live.attention.kept_floats(text.heads);
    floats += (stage.end_block - stage.first_block) * block;
  }
  return floats * static_cast<std::int64_t>(sizeof(float));
}

std::int64_t ForestRun::frozen_bytes() const {
  const TowerConfig& text = tower_->config.text;
  std::int64_t floats = 0;
  for (const Stage& stage : stages_) {
    floats += stage.frozen.count * text.width * (2 * (stage.end_block - stage.first_block) + 1);
  }
  return floats * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace openworld

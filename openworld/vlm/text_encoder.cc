#include "openworld/vlm/text_encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <mutex>
#include <numeric>

#include "openworld/base/error.h"
#include "openworld/vlm/index_tensor.h"

namespace openworld {
namespace {

using at::Tensor;
using Node = TextForest::Node;

// Rows per chunk that make the matrix products efficient: OpenBLAS reaches 97 % of its rate at 1000
// rows of width 512, and what a block of 2048 rows touches still fits a shared cache.
constexpr std::int64_t kForwardRows = 2048;

// A chunk may take this share of the budget; the rest is for chunks that keep their graph.
constexpr std::int64_t kChunkShare = 4;

// Read-outs so that neighbours share most: in the order of a depth-first walk.
std::vector<std::size_t> depth_first(const TextForest& forest) {
  std::vector<std::vector<Node>> children(forest.nodes());
  std::vector<Node> pending;
  for (Node n = static_cast<Node>(forest.nodes()) - 1; n >= 0; --n) {
    const Node parent = forest.parent(n);
    if (parent == TextForest::kRoot) {
      pending.push_back(n);
    } else {
      children[static_cast<std::size_t>(parent)].push_back(n);
    }
  }
  std::vector<std::size_t> rank(forest.nodes());
  std::size_t next = 0;
  while (!pending.empty()) {
    const Node n = pending.back();
    pending.pop_back();
    rank[static_cast<std::size_t>(n)] = next++;
    const auto& below = children[static_cast<std::size_t>(n)];
    pending.insert(pending.end(), below.begin(), below.end());
  }
  std::vector<std::size_t> order(forest.readouts().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rank[static_cast<std::size_t>(forest.readouts()[a])] <
           rank[static_cast<std::size_t>(forest.readouts()[b])];
  });
  return order;
}

// Splits `order` so that a part has at most `limit` rows, or one read-out.
std::vector<std::vector<std::size_t>> split(const TextForest& forest,
                                            const std::vector<std::size_t>& order,
                                            std::int64_t limit) {
  std::vector<std::vector<std::size_t>> parts(1);
  std::vector<std::size_t> part_of(forest.nodes(), 0);  // 1-based
  // Rows that read-out i brings to the last part; with `take` they belong to it.
  const auto new_rows = [&](std::size_t i, bool take) {
    std::int64_t count = 0;
    for (Node n = forest.readouts()[i]; n != TextForest::kRoot; n = forest.parent(n)) {
      std::size_t& part = part_of[static_cast<std::size_t>(n)];
      if (part == parts.size()) break;
      if (take) part = parts.size();
      ++count;
    }
    return count;
  };
  std::int64_t rows = 0;
  for (const std::size_t i : order) {
    if (!parts.back().empty() && rows + new_rows(i, false) > limit) {
      parts.emplace_back();
      rows = 0;
    }
    rows += new_rows(i, true);
    parts.back().push_back(i);
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

bool has_learnable_rows(const TextForest& forest) {
  for (Node n = 0; n < static_cast<Node>(forest.nodes()); ++n) {
    if (forest.row(n).learnable >= 0 || !forest.row(n).deep.empty()) return true;
  }
  return false;
}

std::int64_t rows_that_fit(const TowerConfig& text, std::int64_t bytes) {
  const std::int64_t per_row =
      text.layers * (5 * text.width + text.mlp) * static_cast<std::int64_t>(sizeof(float));
  return std::max<std::int64_t>(1, bytes / per_row);
}

}  // namespace

struct TextEncoder::Chunk {
  Chunk(const TextTower& tower, const ForestPlan& plan) : run(tower, plan) {}

  ForestRun run;
  bool keeps_graph = true;
  bool keeps_frozen = true;

  std::int64_t bytes() const { return run.kept_bytes() + run.frozen_bytes(); }

  // Safe from several threads: a list of prompts may be computed for several contexts at once.
  Tensor features(const Tensor& learnable) { return run.features(*frozen_rows(), learnable); }

  std::shared_ptr<const FrozenRows> frozen_rows() {
    const std::lock_guard lock(mutex);
    if (frozen) return frozen;
    auto rows = std::make_shared<const FrozenRows>(run.frozen_rows(run.has_live_rows()));
    if (keeps_frozen) frozen = rows;
    return rows;
  }

  std::mutex mutex;                          // guards frozen
  std::shared_ptr<const FrozenRows> frozen;  // from the first step on, if it is kept

  struct Recompute;
};

// Forward without a graph; backward makes the graph anew and goes through it at once.
struct TextEncoder::Chunk::Recompute : torch::autograd::Function<Recompute> {
  struct Holder : torch::CustomClassHolder {
    explicit Holder(std::shared_ptr<Chunk> c) : chunk(std::move(c)) {}
    std::shared_ptr<Chunk> chunk;
  };

  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& learnable,
                        const std::shared_ptr<Chunk>& chunk) {
    context->save_for_backward({learnable});
    context->saved_data["chunk"] = c10::IValue::make_capsule(c10::make_intrusive<Holder>(chunk));
    return chunk->features(learnable);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto holder = context->saved_data["chunk"].toCapsule();
    Chunk& chunk = *static_cast<const Holder&>(*holder).chunk;
    const Tensor leaf = context->get_saved_variables()[0].detach().requires_grad_();
    at::AutoGradMode with_grad(true);
    const Tensor features = chunk.features(leaf);
    return {torch::autograd::grad({features}, {leaf}, {grads[0]})[0], Tensor()};
  }
};

// Graphs first: one that is kept spares a forward pass over all live rows of its chunk. Where some
// are not kept, one chunk's worth stays free for making a graph anew.
void TextEncoder::share_budget(std::int64_t budget) {
  std::int64_t left = budget;
  if (chunks_.size() > 1) left -= chunks_.front()->run.kept_bytes();
  const auto take = [&left](std::int64_t bytes) {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
  for (const auto& chunk : chunks_) chunk->keeps_graph = take(chunk->run.kept_bytes());
  for (const auto& chunk : chunks_) chunk->keeps_frozen = take(chunk->run.frozen_bytes());
}

TextEncoder::TextEncoder(const TextTower& tower, const TextForest& forest, TextMemory memory)
    : tower_(&tower) {
  if (memory.mib < 1) {
    fail("TextEncoder", fmt::format("memory must be at least 1 MiB, got {}", memory.mib));
  }
  const bool all_live = tower.weights.requires_grad();
  const std::int64_t budget = memory.mib * 1024 * 1024;
  const std::vector<std::size_t> order = depth_first(forest);
  const auto make_chunks = [&](std::int64_t rows) {
    chunks_.clear();
    for (const auto& part : split(forest, order, rows)) {
      chunks_.push_back(std::make_shared<Chunk>(tower, plan_forest(forest, part, all_live)));
    }
  };
  if (!all_live && !has_learnable_rows(forest)) {
    make_chunks(std::min(kForwardRows, rows_that_fit(tower.config.text, budget)));
  } else {
    make_chunks(static_cast<std::int64_t>(forest.nodes()));
    const bool fits = chunks_.empty() || chunks_.front()->bytes() <= budget;
    if (!all_live && !fits) make_chunks(rows_that_fit(tower.config.text, budget / kChunkShare));
    if (!all_live) share_budget(budget);
  }
  for (const auto& chunk : chunks_) {
    learnable_rows_ = std::max(learnable_rows_, chunk->run.learnable_rows());
  }
  if (!std::is_sorted(order.begin(), order.end())) {
    std::vector<std::int64_t> place(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<std::int64_t>(i);
    order_ = index_tensor(place, tower.weights.token_embedding.device());
  }
}

Tensor TextEncoder::features(const Tensor& learnable,
                             const std::function<void(std::size_t)>& on_progress) {
  const std::int64_t width = tower_->config.text.width;
  if (learnable_rows_ > 0 && (!learnable.defined() || learnable.dim() != 2 ||
                              learnable.size(0) < learnable_rows_ || learnable.size(1) != width)) {
    fail("TextEncoder::features",
         fmt::format("learnable rows must be a matrix of at least {} rows of {}", learnable_rows_,
                     width));
  }
  const bool wants_grad =
      at::GradMode::is_enabled() && learnable.defined() && learnable.requires_grad();
  std::vector<Tensor> parts;
  std::size_t done = 0;
  for (const auto& chunk : chunks_) {
    const bool recompute = wants_grad && !chunk->keeps_graph;
    parts.push_back(recompute ? Chunk::Recompute::apply(learnable, chunk)
                              : chunk->features(learnable));
    done += static_cast<std::size_t>(parts.back().size(0));
    if (on_progress) on_progress(done);
  }
  if (parts.empty()) {
    return at::empty({0, tower_->config.embed}, tower_->weights.projection.options());
  }
  const Tensor features = parts.size() == 1 ? parts.front() : at::cat(parts);
  return order_.defined() ? features.index_select(0, order_) : features;
}

std::size_t TextEncoder::recomputed_chunks() const {
  return static_cast<std::size_t>(std::count_if(
      chunks_.begin(), chunks_.end(), [](const auto& chunk) { return !chunk->keeps_graph; }));
}

}  // namespace openworld

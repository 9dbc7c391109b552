#include "openworld/learners/common/prompts.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/io/origin.h"
#include "openworld/io/tensor_file.h"
#include "openworld/vlm/index_tensor.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// A shard computes the shared rows again, so that it should have at least this many times as many
// of its own: an eighth more work buys another core.
constexpr std::int64_t kOwnRows = 8;
// Below this many multiplications per shard, some 10 ms of work, threads cost more than they give.
constexpr double kShardWork = 4e8;
constexpr std::int64_t kMostShards = 16;

std::vector<PromptRow> prompt_rows(const TextModel& text_model, const std::string& name,
                                   const PromptShape& shape, std::int64_t first_row) {
  const Vocabulary& vocabulary = text_model.tokenizer->vocabulary();
  const std::vector<std::int32_t> all = text_model.tokenizer->encode(name + ".");
  const std::size_t of_name = std::min(text_model.tokenizer->encode(name).size(), all.size());
  const std::int64_t before = shape.position == NamePosition::kEnd      ? shape.tokens
                              : shape.position == NamePosition::kMiddle ? shape.tokens / 2
                                                                        : 0;
  std::vector<PromptRow> rows = {token_row(vocabulary.start_of_text)};
  const auto add_context = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      rows.push_back(learnable_row(static_cast<std::int32_t>(first_row + i)));
    }
  };
  add_context(0, before);
  for (std::size_t i = 0; i < of_name; ++i) rows.push_back(token_row(all[i]));
  add_context(before, shape.tokens);
  for (std::size_t i = of_name; i < all.size(); ++i) rows.push_back(token_row(all[i]));
  rows.push_back(token_row(vocabulary.end_of_text));
  if (static_cast<std::int64_t>(rows.size()) > text_model.clip->config.context) {
    fail("prompts",
         fmt::format("class {} takes {} tokens with {} of context; the model has room "
                     "for {}",
                     in_quotes(name), rows.size(), shape.tokens, text_model.clip->config.context));
  }
  return rows;
}

std::int64_t shard_count(const TextModel& text_model, std::int64_t rows, std::int64_t shared) {
  const TowerConfig& text = text_model.clip->config.text;
  const double work = static_cast<double>(rows) * static_cast<double>(text.layers) *
                      static_cast<double>(text.width) *
                      static_cast<double>(4 * text.width + 2 * text.mlp);
  const std::int64_t by_rows = (rows - shared) / (kOwnRows * std::max<std::int64_t>(shared, 1));
  const std::int64_t by_work = static_cast<std::int64_t>(work / kShardWork);
  return std::clamp<std::int64_t>(std::min(by_rows, by_work), 1, kMostShards);
}

}  // namespace

ContextPrompts::ContextPrompts(const TextModel& text_model, const std::vector<std::string>& names,
                               const PromptShape& shape)
    : text_model_(text_model), shape_(shape) {
  const auto count = static_cast<std::int64_t>(names.size());
  rows_ = shape.class_specific ? count * shape.tokens : shape.tokens;
  for (std::int64_t c = 0; c < count; ++c) {
    prompts_.push_back(prompt_rows(text_model, names[static_cast<std::size_t>(c)], shape,
                                   shape.class_specific ? c * shape.tokens : 0));
  }
}

const ContextPrompts::Shards& ContextPrompts::shards_of(std::int64_t images) {
  const auto found = shards_.find(images);
  return found != shards_.end() ? found->second : shards_[images] = make_shards(images);
}

ContextPrompts::Shards ContextPrompts::make_shards(std::int64_t images) const {
  const std::int64_t all = images * names();
  const auto add_prompt = [&](TextForest& forest, std::int64_t i) {
    std::vector<PromptRow> rows = prompts_[static_cast<std::size_t>(i % names())];
    const auto first_row = static_cast<std::int32_t>(i / names() * rows_);
    for (PromptRow& row : rows) {
      if (row.learnable >= 0) row.learnable += first_row;
    }
    return forest.add(TextForest::kRoot, rows);
  };
  TextForest whole;
  for (std::int64_t i = 0; i < all; ++i) add_prompt(whole, i);
  const bool shares = shape_.position == NamePosition::kEnd && !shape_.class_specific;
  const std::int64_t count = std::min(
      shard_count(text_model_, static_cast<std::int64_t>(whole.nodes()), shares ? 1 + rows_ : 1),
      std::max<std::int64_t>(all, 1));
  const TextMemory memory = {std::max<std::int64_t>(1, text_model_.memory.mib / count)};
  Shards shards;
  for (std::int64_t s = 0; s < count; ++s) {
    TextForest forest;
    for (std::int64_t i = all * s / count; i < all * (s + 1) / count; ++i) {
      forest.read(add_prompt(forest, i));
    }
    shards.push_back(std::make_unique<TextEncoder>(text_model_.clip->text, forest, memory));
  }
  return shards;
}

// One shard's part of a graph that a custom function hides: its own leaf, and what follows from it.
struct PromptPool::Graph : torch::CustomClassHolder {
  struct Job {
    TextEncoder* encoder;
    std::int64_t row, rows;  // of all contexts
    Tensor leaf, features;
  };
  explicit Graph(PromptPool* owner) : pool(owner) {}

  // What each job gives, one below the other.
  Tensor forward(const Tensor& contexts, bool with_grad) {
    pool->pool_.run(jobs.size(), [&](std::size_t i) {
      const OpenMpThreads one(1);
      const at::AutoGradMode mode(with_grad);
      Job& job = jobs[i];
      job.leaf = contexts.detach().narrow(0, job.row, job.rows);
      if (with_grad) job.leaf = job.leaf.clone().requires_grad_();
      job.features = normalized(job.encoder->features(job.leaf));
    });
    std::vector<Tensor> parts;
    for (const Job& job : jobs) parts.push_back(job.features.detach());
    return at::cat(parts);
  }

  Tensor backward(const Tensor& gradient, at::IntArrayRef shape) {
    const BlasThreads blas(1);
    std::vector<Tensor> parts(jobs.size());
    std::vector<std::int64_t> begin = {0};
    for (const Job& job : jobs) begin.push_back(begin.back() + job.features.size(0));
    pool->pool_.run(jobs.size(), [&](std::size_t i) {
      const OpenMpThreads one(1);
      const Tensor part = gradient.narrow(0, begin[i], begin[i + 1] - begin[i]);
      parts[i] = torch::autograd::grad({jobs[i].features}, {jobs[i].leaf}, {part}, true)[0];
    });
    Tensor result = at::zeros(shape, gradient.options());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      result.narrow(0, jobs[i].row, jobs[i].rows).add_(parts[i]);
    }
    return result;
  }

  PromptPool* pool;
  std::vector<Job> jobs;
};

struct PromptPool::Encode : torch::autograd::Function<Encode> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& contexts,
                        const c10::intrusive_ptr<Graph>& graph) {
    context->saved_data["graph"] = c10::IValue::make_capsule(graph);
    context->saved_data["shape"] = contexts.sizes().vec();
    return graph->forward(contexts, true);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& grads) {
    const auto holder = context->saved_data["graph"].toCapsule();
    auto& graph = const_cast<Graph&>(static_cast<const Graph&>(*holder));
    return {graph.backward(grads[0].contiguous(), context->saved_data["shape"].toIntVector()),
            Tensor()};
  }
};

PromptPool::PromptPool(int threads) : pool_(threads) {}

// The images that contexts are for, 0 where they are for all.
std::int64_t PromptPool::images_of(const ContextPrompts& prompts, const Tensor& contexts) {
  const PromptShape& shape = prompts.shape_;
  const std::int64_t width = prompts.text_model_.clip->config.text.width;
  const bool per_image = !shape.class_specific && contexts.dim() == 3;
  const std::int64_t rows = prompts.rows() * (per_image ? contexts.size(0) : 1);
  if (contexts.size(-1) != width || contexts.numel() != rows * width ||
      (per_image && (rows == 0 || contexts.size(1) != shape.tokens))) {
    fail("prompts", fmt::format("contexts are {}; expected [{}{}, {}]",
                                tensor_shape_text(contexts.sizes().vec()),
                                shape.class_specific ? fmt::format("{}, ", prompts.names())
                                : per_image          ? "images, "
                                                     : "",
                                shape.tokens, width));
  }
  return per_image ? contexts.size(0) : 0;
}

std::vector<Tensor> PromptPool::features(std::span<ContextPrompts* const> prompts,
                                         std::span<const Tensor> contexts) {
  const BlasThreads one(1);
  auto graph = c10::make_intrusive<Graph>(this);
  std::vector<Tensor> matrices;
  std::int64_t row = 0;
  std::vector<std::int64_t> images;  // of each list; 0: one context for all
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    images.push_back(images_of(*prompts[i], contexts[i]));
    const Tensor matrix = contexts[i].reshape({-1, contexts[i].size(-1)});
    for (const auto& encoder : prompts[i]->shards_of(std::max<std::int64_t>(images[i], 1))) {
      graph->jobs.push_back({encoder.get(), row, matrix.size(0), {}, {}});
    }
    row += matrix.size(0);
    matrices.push_back(matrix);
  }
  const Tensor all = at::cat(matrices);
  const bool wants_grad = at::GradMode::is_enabled() && all.requires_grad();
  const Tensor together = wants_grad ? Encode::apply(all, graph) : graph->forward(all, false);
  std::vector<Tensor> result;
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const std::int64_t names = prompts[i]->names();
    const std::int64_t count = names * std::max<std::int64_t>(images[i], 1);
    const Tensor features = together.narrow(0, begin, count);
    result.push_back(images[i] > 0 ? features.reshape({images[i], names, -1}) : features);
    begin += count;
  }
  return result;
}

Tensor PromptPool::features(ContextPrompts& prompts, const Tensor& context) {
  ContextPrompts* const list[] = {&prompts};
  return features(list, std::span(&context, 1))[0];
}

Tensor word_rows(const TextModel& text_model, const std::string& words) {
  std::vector<std::int64_t> ids;
  for (const std::int32_t id : text_model.tokenizer->encode(words)) ids.push_back(id);
  if (ids.empty())
    fail("prompts", fmt::format("option init is {}, which has no tokens", in_quotes(words)));
  return text_model.clip->text.weights.token_embedding.detach().index_select(
      0, index_tensor(ids, text_model.clip->device()));
}

Tensor random_rows(const TextModel& text_model, std::int64_t rows, std::uint64_t seed,
                   std::uint64_t stream) {
  constexpr double kDeviation = 0.02;
  Random random(seed, stream);
  Tensor result = at::empty({rows, text_model.clip->config.text.width}, at::kFloat);
  float* const values = result.data_ptr<float>();
  for (std::int64_t i = 0; i < result.numel(); ++i) {
    values[i] = static_cast<float>(kDeviation * random.normal());
  }
  return result.to(text_model.clip->device());
}

Tensor start_rows(const TextModel& text_model, const std::string& words, std::int64_t rows,
                  std::uint64_t seed, std::uint64_t stream) {
  if (words.empty()) return random_rows(text_model, rows, seed, stream);
  const Tensor start = word_rows(text_model, words);
  return start + random_rows(text_model, start.size(0), seed, stream);
}

}  // namespace openworld

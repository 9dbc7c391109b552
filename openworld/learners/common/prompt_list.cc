#include "openworld/learners/common/prompt_list.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <bit>

#include "openworld/base/error.h"
#include "openworld/io/tensor_file.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;

// Every shard but the first computes the shared rows again. All of them together may add an eighth
// to the rows: 50 names behind 16 learned rows are two shards, 1.9 times as fast on two cores.
constexpr std::int64_t kMostRepeated = 8;
// Below this many multiplications per shard, some 10 ms of work, threads cost more than they give.
constexpr double kShardWork = 4e8;
// A product with few rows spends its time on packing the weights: with 28 rows of width 512
// OpenBLAS reaches half of its rate. A power of two is dealt evenly to usual numbers of threads.
constexpr std::int64_t kShardRows = 48;
constexpr std::int64_t kMostShards = 16;
// With 300 rows it reaches 97 % of its rate, with 75 80 %. So there are more than four shards only
// where each is large; the batches of images beside them are mostly of four parts, too.
constexpr std::int64_t kFewShards = 4;
constexpr std::int64_t kManyShardRows = 192;

// Learned rows that every prompt begins with, and those before them. Where only rows of later
// blocks differ, the blocks before are shared.
std::int64_t shared_rows(const std::vector<Prompt>& prompts) {
  const auto alike = [](const PromptRow& a, const PromptRow& b) {
    return a.token == b.token && a.learnable == b.learnable;
  };
  if (prompts.empty()) return 1;
  const std::vector<PromptRow>& first = prompts.front().rows;
  std::size_t common = first.size();
  for (const Prompt& prompt : prompts) {
    const auto [a, b] =
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(common),
                      prompt.rows.begin(), prompt.rows.end(), alike);
    common = static_cast<std::size_t>(a - first.begin());
  }
  while (common > 1 && first[common - 1].learnable < 0) --common;
  return static_cast<std::int64_t>(std::max<std::size_t>(common, 1));
}

PromptRow shifted(PromptRow row, std::int32_t by) {
  if (row.learnable >= 0) row.learnable += by;
  for (DeepRow& deep : row.deep) deep.learnable += by;
  return row;
}

}  // namespace

std::int64_t shard_count(const TowerConfig& text, std::int64_t rows, std::int64_t shared) {
  const double work = static_cast<double>(rows) * static_cast<double>(text.layers) *
                      static_cast<double>(text.width) *
                      static_cast<double>(4 * text.width + 2 * text.mlp);
  const std::int64_t by_rows = 1 + rows / (kMostRepeated * std::max<std::int64_t>(shared, 1));
  const std::int64_t by_work = static_cast<std::int64_t>(work / kShardWork);
  std::int64_t most = std::min({by_rows, by_work, rows / kShardRows, kMostShards});
  if (most > kFewShards) most = std::clamp(rows / kManyShardRows, kFewShards, most);
  return static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(most, 1))));
}

PromptList::PromptList(const TextModel& text_model, std::vector<Prompt> prompts, std::int64_t rows)
    : text_model_(text_model), rows_(rows), prompts_(std::move(prompts)) {
  if (!prompts_.empty() && !prompts_.front().readers.empty()) {
    reads_ = static_cast<std::int64_t>(prompts_.front().readers.size());
  }
}

const PromptList::Shards& PromptList::shards_of(std::int64_t images) {
  const auto found = shards_.find(images);
  return found != shards_.end() ? found->second : shards_[images] = make_shards(images);
}

PromptList::Shards PromptList::make_shards(std::int64_t images) const {
  const std::int64_t all = images * prompts();
  // With `read`, what is read of the prompt; else it is only laid out.
  const auto add_prompt = [&](TextForest& forest, std::int64_t i, bool read) {
    const Prompt& prompt = prompts_[static_cast<std::size_t>(i % prompts())];
    const auto first_row = static_cast<std::int32_t>(i / prompts() * rows_);
    TextForest::Node node = TextForest::kRoot;
    for (const PromptRow& row : prompt.rows) node = forest.add(node, shifted(row, first_row));
    if (prompt.readers.empty() && read) forest.read(node);
    for (const PromptRow& row : prompt.readers) {
      const TextForest::Node reader = forest.add(node, shifted(row, first_row));
      if (read) forest.read(reader);
    }
  };
  TextForest whole;
  for (std::int64_t i = 0; i < all; ++i) add_prompt(whole, i, false);
  const std::int64_t count =
      std::min(shard_count(text_model_.clip->config.text, static_cast<std::int64_t>(whole.nodes()),
                           shared_rows(prompts_)),
               std::max<std::int64_t>(all, 1));
  const TextMemory memory = {std::max<std::int64_t>(1, text_model_.memory.mib / count)};
  Shards shards;
  for (std::int64_t s = 0; s < count; ++s) {
    TextForest forest;
    for (std::int64_t i = all * s / count; i < all * (s + 1) / count; ++i) {
      add_prompt(forest, i, true);
    }
    shards.push_back(std::make_unique<TextEncoder>(text_model_.clip->text, forest, memory));
  }
  return shards;
}

// One shard's part of a graph that a custom function hides: its own leaf, and what follows from it.
struct PromptPool::Graph : torch::CustomClassHolder {
  struct Job {
    TextEncoder* encoder;
    std::int64_t row, rows;  // of all matrices
    Tensor leaf, features;
  };
  Graph(PromptPool* owner, bool normalizes) : pool(owner), normalize(normalizes) {}

  // What each job gives, one below the other.
  Tensor forward(const Tensor& learned, bool with_grad) {
    pool->pool_.run(jobs.size(), [&](std::size_t i) {
      const OpenMpThreads one(1);
      const at::AutoGradMode mode(with_grad);
      Job& job = jobs[i];
      job.leaf = learned.detach().narrow(0, job.row, job.rows);
      if (with_grad) job.leaf = job.leaf.clone().requires_grad_();
      job.features = job.encoder->features(job.leaf);
      if (normalize) job.features = normalized(job.features);
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
  bool normalize;
  std::vector<Job> jobs;
};

struct PromptPool::Encode : torch::autograd::Function<Encode> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& learned,
                        const c10::intrusive_ptr<Graph>& graph) {
    context->saved_data["graph"] = c10::IValue::make_capsule(graph);
    context->saved_data["shape"] = learned.sizes().vec();
    return graph->forward(learned, true);
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

// The images that matrices are for, 0 where one is for all.
std::int64_t PromptPool::images_of(const PromptList& list, const Tensor& learned) {
  const std::int64_t width = list.text_model_.clip->config.text.width;
  const bool per_image = !list.grouped_ && learned.dim() == 3;
  const std::int64_t rows = list.rows() * (per_image ? learned.size(0) : 1);
  if (learned.size(-1) != width || learned.numel() != rows * width ||
      (per_image && (rows == 0 || learned.size(1) != list.rows()))) {
    fail("prompts",
         fmt::format(
             "learned rows are {}; expected {}", tensor_shape_text(learned.sizes().vec()),
             list.grouped_
                 ? fmt::format("[{}, {}, {}]", list.prompts(),
                               list.rows() / std::max<std::int64_t>(1, list.prompts()), width)
                 : fmt::format("[{}{}, {}]", per_image ? "images, " : "", list.rows(), width)));
  }
  return per_image ? learned.size(0) : 0;
}

std::vector<Tensor> PromptPool::compute(std::span<PromptList* const> lists,
                                        std::span<const Tensor> learned, bool normalize) {
  const BlasThreads one(1);
  auto graph = c10::make_intrusive<Graph>(this, normalize);
  std::vector<Tensor> matrices;
  std::int64_t row = 0;
  std::vector<std::int64_t> images;  // of each list; 0: one matrix for all
  for (std::size_t i = 0; i < lists.size(); ++i) {
    images.push_back(images_of(*lists[i], learned[i]));
    const Tensor matrix = learned[i].reshape({-1, learned[i].size(-1)});
    for (const auto& encoder : lists[i]->shards_of(std::max<std::int64_t>(images[i], 1))) {
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
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const std::int64_t reads = lists[i]->features();
    const std::int64_t count = reads * std::max<std::int64_t>(images[i], 1);
    const Tensor features = together.narrow(0, begin, count);
    result.push_back(images[i] > 0 ? features.reshape({images[i], reads, -1}) : features);
    begin += count;
  }
  return result;
}

std::vector<Tensor> PromptPool::features(std::span<PromptList* const> lists,
                                         std::span<const Tensor> learned) {
  return compute(lists, learned, true);
}

Tensor PromptPool::features(PromptList& list, const Tensor& learned) {
  PromptList* const lists[] = {&list};
  return compute(lists, std::span(&learned, 1), true)[0];
}

Tensor PromptPool::encoded(PromptList& list, const Tensor& learned) {
  PromptList* const lists[] = {&list};
  return compute(lists, std::span(&learned, 1), false)[0];
}

Tensor PromptPool::features_of_each(PromptList& list, const Tensor& learned) {
  const BlasThreads blas(1);
  images_of(list, learned);
  const PromptList::Shards& shards = list.shards_of(1);
  const auto images = static_cast<std::size_t>(learned.size(0));
  std::vector<Tensor> parts(images * shards.size());
  pool_.run(parts.size(), [&](std::size_t i) {
    const OpenMpThreads one(1);
    const at::NoGradGuard no_grad;
    const Tensor matrix = learned.detach().select(0, static_cast<std::int64_t>(i / shards.size()));
    parts[i] = normalized(shards[i % shards.size()]->features(matrix));
  });
  return at::cat(parts).reshape({learned.size(0), list.features(), -1});
}

}  // namespace openworld

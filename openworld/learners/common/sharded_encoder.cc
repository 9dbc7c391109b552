#include "openworld/learners/common/sharded_encoder.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/inner_threads.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::variable_list;

constexpr std::int64_t kMostParts = 16;

std::int64_t image_rows(const VisionTower& tower, std::int64_t prompt_rows) {
  return tower.weights.positional_embedding.size(0) + prompt_rows;
}

// Rows that prompts bring to an image: those at block 0; later ones replace them.
std::int64_t prompt_rows(const VisionOptions& options) {
  const bool any = !options.prompts.empty() && options.prompts.front().block == 0;
  return any ? options.prompts.front().rows.size(-2) : 0;
}

}  // namespace

ShardedEncoder::ShardedEncoder(const VisionTower& tower, int threads,
                               const ShardingOptions& options)
    : tower_(&tower), options_(options), pool_(threads) {
  if (options.memory_mib < 0) {
    fail("ShardedEncoder",
         fmt::format("memory must not be negative, got {} MiB", options.memory_mib));
  }
}

std::int64_t ShardedEncoder::parts(std::int64_t images, std::int64_t prompt_rows) const {
  if (!tower_->weights.patch.is_cpu()) return 1;  // such devices share out the work themselves
  const TowerConfig& vision = tower_->config.vision;
  const double work = static_cast<double>(images * image_rows(*tower_, prompt_rows)) *
                      static_cast<double>(vision.layers * vision.width) *
                      static_cast<double>(4 * vision.width + 2 * vision.mlp);
  const auto by_work = static_cast<std::int64_t>(work / options_.part_work);
  return std::clamp<std::int64_t>(std::min(by_work, images), 1, kMostParts);
}

std::int64_t ShardedEncoder::kept_parts(std::int64_t images, std::int64_t prompt_rows,
                                        bool read_only, bool keeps_weights) const {
  const TowerConfig& vision = tower_->config.vision;
  const std::int64_t rows = image_rows(*tower_, prompt_rows);
  const std::int64_t live = read_only ? prompt_rows : rows;
  // Inputs of both norms, q, k, v and what enters the activation. Keys and values of rows without a
  // graph.
  const std::int64_t weights = keeps_weights ? vision.heads * rows : 0;
  const std::int64_t floats = vision.layers * (live * (5 * vision.width + vision.mlp + weights) +
                                               (rows - live) * 2 * vision.width);
  const std::int64_t count = parts(images, prompt_rows);
  const std::int64_t largest = (images + count - 1) / count;
  const std::int64_t bytes = largest * floats * static_cast<std::int64_t>(sizeof(float));
  return std::clamp<std::int64_t>(
      options_.memory_mib * 1024 * 1024 / std::max<std::int64_t>(bytes, 1), 0, count);
}

// The parts of one call.
struct ShardedEncoder::Graph : torch::CustomClassHolder {
  struct Part {
    std::int64_t begin = 0, count = 0;  // images
    std::vector<Tensor> leaves;         // copies of the prompts' rows
    variable_list results;              // features and, if asked for, local
  };

  Graph(ShardedEncoder* owner, const Tensor& pixels, const VisionOptions& asked)
      : encoder(owner), images(pixels.detach()), options(asked) {
    const std::int64_t all = images.size(0), added = prompt_rows(options);
    const std::int64_t count = encoder->parts(all, added);
    // vision_attention keeps none; it knows no masks and no other devices.
    const bool keeps_weights = options.prompts.empty() || options.mask.defined() ||
                               !uses_kernels(encoder->tower_->weights.patch.device());
    kept = encoder->kept_parts(all, added, options.read_only, keeps_weights);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t begin = all * i / count;
      parts.push_back({begin, all * (i + 1) / count - begin, {}, {}});
    }
    for (VisualPrompt& prompt : options.prompts) prompt.rows = prompt.rows.detach();
  }

  // The rows of a prompt that the images of a part see.
  static Tensor own_rows(const Tensor& rows, const Part& part) {
    return rows.dim() == 3 ? rows.narrow(0, part.begin, part.count) : rows;
  }

  void encode(Part& part, bool with_grad) const {
    const at::AutoGradMode mode(with_grad);
    VisionOptions own = options;
    part.leaves.clear();
    for (VisualPrompt& prompt : own.prompts) {
      prompt.rows = own_rows(prompt.rows, part);
      if (with_grad) prompt.rows = prompt.rows.clone().requires_grad_();
      part.leaves.push_back(prompt.rows);
    }
    const Tensor pixels = images.narrow(0, part.begin, part.count);
    const VisionFeatures result = encode_images(*encoder->tower_, pixels, own);
    part.results = {result.features};
    if (options.local) part.results.push_back(result.local);
  }

  variable_list forward(bool with_grad) {
    const BlasThreads blas(1);
    encoder->pool_.run(parts.size(), [&](std::size_t i) {
      const OpenMpThreads one(1);
      encode(parts[i], with_grad && static_cast<std::int64_t>(i) < kept);
    });
    variable_list results;
    for (std::size_t r = 0; r < parts.front().results.size(); ++r) {
      std::vector<Tensor> pieces;
      for (const Part& part : parts) pieces.push_back(part.results[r].detach());
      results.push_back(at::cat(pieces));
    }
    for (std::size_t i = static_cast<std::size_t>(kept); i < parts.size(); ++i) {
      parts[i].results.clear();
      parts[i].leaves.clear();
    }
    return results;
  }

  // Gradients of the prompts' rows, given those of the results.
  variable_list backward(const variable_list& gradients) {
    const BlasThreads blas(1);
    std::vector<variable_list> of_part(parts.size());
    encoder->pool_.run(parts.size(), [&](std::size_t i) {
      const OpenMpThreads one(1);
      Part again = parts[i];
      const bool is_kept = !again.results.empty();
      if (!is_kept) encode(again, true);
      variable_list roots, seeds;
      for (std::size_t r = 0; r < again.results.size(); ++r) {
        if (!gradients[r].defined() || !again.results[r].requires_grad()) continue;
        roots.push_back(again.results[r]);
        seeds.push_back(gradients[r].narrow(0, again.begin, again.count));
      }
      if (roots.empty()) return;
      of_part[i] = torch::autograd::grad(roots, again.leaves, seeds, /*retain_graph=*/is_kept,
                                         /*create_graph=*/false, /*allow_unused=*/true);
    });
    variable_list sums;
    for (std::size_t p = 0; p < options.prompts.size(); ++p) {
      Tensor sum = at::zeros_like(options.prompts[p].rows);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (of_part[i].empty() || !of_part[i][p].defined()) continue;
        own_rows(sum, parts[i]).add_(of_part[i][p]);
      }
      sums.push_back(sum);
    }
    return sums;
  }

  ShardedEncoder* encoder;
  Tensor images;
  VisionOptions options;
  std::vector<Part> parts;
  std::int64_t kept = 0;
};

struct ShardedEncoder::Encode : torch::autograd::Function<Encode> {
  static variable_list forward(torch::autograd::AutogradContext* context, at::TensorList,
                               const c10::intrusive_ptr<Graph>& graph) {
    context->saved_data["graph"] = c10::IValue::make_capsule(graph);
    return graph->forward(true);
  }

  static variable_list backward(torch::autograd::AutogradContext* context,
                                const variable_list& grads) {
    const auto holder = context->saved_data["graph"].toCapsule();
    variable_list result = const_cast<Graph&>(static_cast<const Graph&>(*holder)).backward(grads);
    result.emplace_back();  // of the graph
    return result;
  }
};

VisionFeatures ShardedEncoder::features(const Tensor& images, const VisionOptions& options) {
  const auto graph = c10::make_intrusive<Graph>(this, images, options);
  variable_list rows;
  for (const VisualPrompt& prompt : options.prompts) rows.push_back(prompt.rows);
  const bool wants_grad =
      at::GradMode::is_enabled() &&
      std::any_of(rows.begin(), rows.end(), [](const Tensor& t) { return t.requires_grad(); });
  const variable_list results =
      wants_grad ? Encode::apply(at::TensorList(rows), graph) : graph->forward(false);
  return {results[0], options.local ? results[1] : Tensor()};
}

}  // namespace openworld

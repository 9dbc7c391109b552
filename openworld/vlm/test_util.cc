#include "openworld/vlm/test_util.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace openworld {
namespace {

using at::Tensor;

Tensor naive_activation(const Tensor& x, Activation activation) {
  if (activation == Activation::kQuickGelu) return x * at::sigmoid(1.702 * x);
  return x * 0.5 * (1 + (x / std::sqrt(2.0)).erf());
}

Tensor input_row(const Clip& clip, const TestPrompt& prompt, std::int64_t position,
                 const Tensor& learnable) {
  const TextWeights& w = clip.text.weights;
  const Tensor at_position = w.positional_embedding[position];
  if (position >= static_cast<std::int64_t>(prompt.rows.size())) {
    return w.token_embedding[0] + at_position;
  }
  const PromptRow& row = prompt.rows[static_cast<std::size_t>(position)];
  const Tensor value = row.token >= 0 ? w.token_embedding[row.token] : learnable[row.learnable];
  return row.positioned ? value + at_position : value;
}

}  // namespace

Tensor naive_norm(const Tensor& x, const Affine& norm, double eps) {
  const Tensor mean = x.mean(-1, true);
  const Tensor variance = ((x - mean) * (x - mean)).mean(-1, true);
  return (x - mean) / (variance + eps).sqrt() * norm.weight + norm.bias;
}

Tensor naive_block(const Tensor& x, const BlockWeights& w, const ClipConfig& config,
                   std::int64_t heads, const Tensor& mask) {
  const std::int64_t dim = x.size(2) / heads;
  const Tensor normed = naive_norm(x, w.ln_1, config.layer_norm_eps);
  const Tensor qkv = at::matmul(normed, w.qkv.weight.t()) + w.qkv.bias;
  std::vector<Tensor> mixed;
  for (std::int64_t h = 0; h < heads; ++h) {
    const auto third = [&](std::int64_t i) {
      return qkv.narrow(2, i * heads * dim + h * dim, dim);
    };
    const Tensor scores = at::matmul(third(0), third(1).transpose(1, 2)) / std::sqrt(1.0 * dim);
    mixed.push_back(at::matmul(at::softmax(scores + mask, -1), third(2)));
  }
  Tensor y = x + at::matmul(at::cat(mixed, 2), w.out.weight.t()) + w.out.bias;
  const Tensor hidden =
      at::matmul(naive_norm(y, w.ln_2, config.layer_norm_eps), w.fc.weight.t()) + w.fc.bias;
  return y + at::matmul(naive_activation(hidden, config.activation), w.proj.weight.t()) +
         w.proj.bias;
}

ClipConfig small_config() {
  ClipConfig config;
  config.vision = {24, 3, 3, 40};
  config.text = {36, 4, 3, 52};
  config.patch = 5;
  config.embed = 20;
  config.context = 41;
  config.vocabulary = 101;
  config.preprocessing.image_size = 35;
  return config;
}

ClipConfig vit_b16_text_config() {
  ClipConfig config = vit_b16_config();
  config.vision.layers = 0;
  return config;
}

Tensor random_tensor(const std::vector<std::int64_t>& shape, std::uint64_t seed) {
  Tensor tensor = at::empty(shape);
  float* const values = tensor.data_ptr<float>();
  Random random(seed);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) values[i] = static_cast<float>(random.normal());
  return tensor;
}

Clip random_clip(const ClipConfig& config, std::uint64_t seed) {
  return make_clip(config, [&](const TensorSpec& spec) {
    const Tensor noise = random_tensor(spec.shape, seed++);
    const auto ends_with = [&](std::string_view end) { return spec.name.ends_with(end); };
    if (spec.name == "logit_scale") return noise * 0.1 + std::log(1 / 0.07);
    if (spec.name.find("ln_") != std::string::npos) {
      return ends_with("weight") ? noise * 0.1 + 1 : noise * 0.1;
    }
    if (ends_with("bias")) return noise * 0.05;
    if (ends_with("embedding") || ends_with("embedding.weight")) return noise * 0.02;
    const std::int64_t fan_in =
        ends_with("proj") || ends_with("projection") ? spec.shape[0] : spec.size() / spec.shape[0];
    return noise / std::sqrt(static_cast<double>(fan_in));
  });
}

TextForest forest_of(const std::vector<TestPrompt>& prompts) {
  TextForest forest;
  for (const TestPrompt& prompt : prompts) {
    std::vector<TextForest::Node> nodes;
    TextForest::Node last_visible = TextForest::kRoot;
    for (const PromptRow& row : prompt.rows) {
      nodes.push_back(forest.add(last_visible, row));
      if (row.visible) last_visible = nodes.back();
    }
    for (const std::size_t i : prompt.reads) forest.read(nodes[i]);
  }
  return forest;
}

Tensor padded_features(const Clip& clip, const std::vector<TestPrompt>& prompts,
                       const Tensor& learnable) {
  const ClipConfig& config = clip.config;
  const TextWeights& w = clip.text.weights;
  const auto count = static_cast<std::int64_t>(prompts.size());
  const double hidden = -std::numeric_limits<double>::infinity();
  std::vector<Tensor> inputs;
  Tensor mask = at::full({config.context, config.context}, hidden).triu(1);
  mask = mask.repeat({count, 1, 1});
  for (std::int64_t p = 0; p < count; ++p) {
    const TestPrompt& prompt = prompts[static_cast<std::size_t>(p)];
    std::vector<Tensor> rows;
    for (std::int64_t i = 0; i < config.context; ++i) {
      rows.push_back(input_row(clip, prompt, i, learnable));
    }
    inputs.push_back(at::stack(rows));
    for (std::size_t i = 0; i < prompt.rows.size(); ++i) {
      if (!prompt.rows[i].visible) mask[p].select(1, static_cast<std::int64_t>(i)).fill_(hidden);
    }
  }
  Tensor x = at::stack(inputs);
  for (std::int64_t b = 0; b < config.text.layers; ++b) {
    std::vector<Tensor> replaced;
    for (std::int64_t p = 0; p < count; ++p) {
      Tensor rows = x[p];
      const auto& prompt_rows = prompts[static_cast<std::size_t>(p)].rows;
      for (std::size_t i = 0; i < prompt_rows.size(); ++i) {
        for (const DeepRow& deep : prompt_rows[i].deep) {
          if (deep.block != b) continue;
          const auto at = static_cast<std::int64_t>(i);
          rows = at::cat({rows.narrow(0, 0, at), learnable[deep.learnable].unsqueeze(0),
                          rows.narrow(0, at + 1, config.context - at - 1)});
        }
      }
      replaced.push_back(rows);
    }
    x = naive_block(at::stack(replaced), w.blocks[static_cast<std::size_t>(b)], config,
                    config.text.heads, mask);
  }
  x = naive_norm(x, w.ln_final, config.layer_norm_eps);
  std::vector<Tensor> features;
  for (std::int64_t p = 0; p < count; ++p) {
    for (const std::size_t i : prompts[static_cast<std::size_t>(p)].reads) {
      features.push_back(at::matmul(x[p][static_cast<std::int64_t>(i)], w.projection));
    }
  }
  return at::stack(features);
}

std::pair<Tensor, Tensor> padded_features_and_gradient(const Clip& clip,
                                                       const std::vector<TestPrompt>& prompts,
                                                       const Tensor& learnable,
                                                       const Tensor& cotangent) {
  constexpr std::size_t kSlice = 10;
  std::vector<Tensor> features;
  Tensor gradient = at::zeros_like(learnable);
  std::int64_t read = 0;
  for (std::size_t from = 0; from < prompts.size(); from += kSlice) {
    const std::size_t to = std::min(from + kSlice, prompts.size());
    const std::vector<TestPrompt> slice(prompts.begin() + static_cast<std::ptrdiff_t>(from),
                                        prompts.begin() + static_cast<std::ptrdiff_t>(to));
    const Tensor leaf = learnable.detach().requires_grad_();
    const Tensor result = padded_features(clip, slice, leaf);
    const Tensor part = cotangent.narrow(0, read, result.size(0));
    read += result.size(0);
    if (result.requires_grad()) {
      const auto grads = torch::autograd::grad({result}, {leaf}, {part}, {}, false, true);
      if (grads[0].defined()) gradient += grads[0];
    }
    features.push_back(result.detach());
  }
  return {at::cat(features), gradient};
}

double relative_error(const Tensor& a, const Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  const double largest = b.abs().max().item<double>();
  const double difference = (a - b).abs().max().item<double>();
  return difference == 0 ? 0 : difference / largest;
}

std::vector<TestPrompt> random_prompts(const ClipConfig& config, const PromptShape& shape,
                                       Random& random, std::int64_t& learnable_rows) {
  const auto start = static_cast<std::int32_t>(config.start_of_text());
  const auto end = static_cast<std::int32_t>(config.end_of_text());
  const auto blocks = static_cast<std::int64_t>(shape.deep_blocks.size());
  const auto word = [&] {
    return static_cast<std::int32_t>(
        random.below(static_cast<std::uint64_t>(config.vocabulary - 2)));
  };
  const std::int32_t stop = word();
  std::int64_t next_row =
      shape.context_rows + (shape.deep_per_class ? 0 : blocks * shape.context_rows);
  std::vector<TestPrompt> prompts;
  for (std::int64_t c = 0; c < shape.classes; ++c) {
    std::vector<PromptRow> context;
    for (std::int64_t i = 0; i < shape.context_rows; ++i) {
      PromptRow row = learnable_row(static_cast<std::int32_t>(i));
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::int64_t deep =
            shape.deep_per_class ? next_row++ : shape.context_rows * (b + 1) + i;
        row.deep.push_back(
            {shape.deep_blocks[static_cast<std::size_t>(b)], static_cast<std::int32_t>(deep)});
      }
      context.push_back(row);
    }
    std::vector<PromptRow> name;
    const auto length = 1 + random.below(static_cast<std::uint64_t>(shape.longest_name));
    for (std::uint64_t i = 0; i < length; ++i) name.push_back(token_row(word()));

    TestPrompt prompt;
    prompt.rows.push_back(token_row(start));
    const auto append = [&](auto from, auto to) {
      prompt.rows.insert(prompt.rows.end(), from, to);
    };
    const auto half = context.begin() + shape.context_rows / 2;
    if (shape.place == NamePlace::kFront) append(name.begin(), name.end());
    if (shape.place != NamePlace::kMiddle) append(context.begin(), context.end());
    if (shape.place == NamePlace::kMiddle) append(context.begin(), half);
    if (shape.place != NamePlace::kFront) append(name.begin(), name.end());
    if (shape.place == NamePlace::kMiddle) append(half, context.end());
    prompt.rows.push_back(token_row(stop));
    prompt.rows.push_back(token_row(end));
    prompt.reads = {prompt.rows.size() - 1};
    if (shape.appended > 0) {
      prompt.reads.clear();
      for (std::int64_t i = 0; i < shape.appended; ++i) {
        PromptRow row = learnable_row(static_cast<std::int32_t>(next_row + i));
        row.positioned = false;
        row.visible = false;
        prompt.reads.push_back(prompt.rows.size());
        prompt.rows.push_back(row);
      }
    }
    prompts.push_back(std::move(prompt));
  }
  learnable_rows = next_row + shape.appended;
  return prompts;
}

}  // namespace openworld

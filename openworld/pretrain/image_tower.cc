#include "openworld/pretrain/image_tower.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/matmul.h>

#include <cmath>

#include "openworld/base/simd.h"
#include "openworld/pretrain/image_attention.h"
#include "openworld/pretrain/vector_math.h"
#include "openworld/vlm/activation.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/elementwise.h"

namespace openworld {
namespace {

using at::Tensor;
using vector_math::Gelu;

// Per thread at least this many elements: about 20 microseconds of work.
constexpr std::int64_t kGrain = 16384;

OPENWORLD_SIMD_V3
void gelu(const float* x, std::int64_t n, float* y) {
  vector_math::map_values<Gelu>(x, n, y);
}

OPENWORLD_SIMD_V3
void gelu_backward(const float* x, const float* gradient, std::int64_t n, float* result) {
  vector_math::map_slopes<Gelu>(x, gradient, n, result);
}

using GeluKernel = Elementwise<gelu, gelu_backward, kGrain>;

// Patches [n, grid * grid, d].
Tensor patches(const VisionTower& tower, std::span<const StemNorm> norms, const Tensor& images,
               StemMoments* moments) {
  const Tensor& weight = tower.weights.patch;
  const std::int64_t n = images.size(0), d = weight.size(0);
  if (tower.weights.stem.empty()) {
    return at::conv2d(images, weight, /*bias=*/{}, weight.size(2)).flatten(2).transpose(1, 2);
  }
  const Tensor rows = stem_rows(tower, norms, images, moments);
  if (weight.size(2) == 1) return at::matmul(rows, weight.view({d, -1}).t()).view({n, -1, d});
  const auto side =
      static_cast<std::int64_t>(std::llround(std::sqrt(static_cast<double>(rows.size(0) / n))));
  const Tensor planes = rows.view({n, side, side, -1}).permute({0, 3, 1, 2}).contiguous();
  return at::conv2d(planes, weight, /*bias=*/{}, weight.size(2)).flatten(2).transpose(1, 2);
}

Tensor mlp(const Tensor& x, const BlockWeights& block, const ClipConfig& config) {
  const Tensor hidden = linear(layer_norm(x, block.ln_2, config.layer_norm_eps), block.fc);
  return x + linear(train_activation(hidden, config.activation), block.proj);
}

Tensor whole_block(const Tensor& x, const BlockWeights& block, const ClipConfig& config) {
  const Tensor qkv = linear(layer_norm(x, block.ln_1, config.layer_norm_eps), block.qkv);
  return mlp(x + linear(image_attention(qkv, {}, config.vision.heads), block.out), block, config);
}

// The class row alone, [n, 1, d].
Tensor last_block(const Tensor& x, const BlockWeights& block, const ClipConfig& config) {
  const std::int64_t d = config.vision.width;
  const Tensor normed = layer_norm(x, block.ln_1, config.layer_norm_eps);
  const Tensor kv = linear(normed, outputs_of(block.qkv, d, 2 * d));
  const Tensor query = linear(normed.narrow(1, 0, 1), outputs_of(block.qkv, 0, d));
  const Tensor mixed = image_attention(kv, query, config.vision.heads);
  return mlp(x.narrow(1, 0, 1) + linear(mixed, block.out), block, config);
}

}  // namespace

Tensor train_activation(const Tensor& x, Activation activation) {
  const bool kernel = activation == Activation::kGelu && uses_kernels(x.device());
  return kernel ? GeluKernel::apply(x) : activate(x, activation);
}

Tensor train_image_features(const VisionTower& tower, std::span<const StemNorm> norms,
                            const Tensor& images, StemMoments* moments) {
  const ClipConfig& config = tower.config;
  const VisionWeights& w = tower.weights;
  const Tensor tokens = patches(tower, norms, images, moments);
  const Tensor head = w.class_embedding.expand({tokens.size(0), 1, tokens.size(2)});
  Tensor x = at::cat({head, tokens}, 1) + w.positional_embedding;
  x = layer_norm(x, w.ln_pre, config.layer_norm_eps);
  for (std::size_t b = 0; b + 1 < w.blocks.size(); ++b) x = whole_block(x, w.blocks[b], config);
  x = w.blocks.empty() ? x.narrow(1, 0, 1) : last_block(x, w.blocks.back(), config);
  x = layer_norm(x.select(1, 0), w.ln_post, config.layer_norm_eps);
  return at::matmul(x, w.projection);
}

double image_flops(const ClipConfig& config) {
  double products = 0;  // multiplications
  auto side = static_cast<double>(config.preprocessing.image_size), channels = 3.0;
  for (const StemLayer& layer : config.stem) {
    side = std::ceil(side / static_cast<double>(layer.stride));
    const auto out = static_cast<double>(layer.channels);
    products += side * side * 9 * channels * out;
    channels = out;
  }
  const auto d = static_cast<double>(config.vision.width);
  const auto mlp = static_cast<double>(config.vision.mlp);
  const auto patch = static_cast<double>(config.patch * config.patch);
  const auto grid = static_cast<double>(config.grid());
  const double rows = 1 + grid * grid;
  const auto layers = static_cast<double>(config.vision.layers);
  products += grid * grid * channels * patch * d;
  // Of the last block keys and values of every row, and the rest of the class row.
  products += (layers - 1) * rows * (4 * d * d + 2 * d * mlp + 2 * rows * d);
  products += rows * 2 * d * d + 2 * d * d + 2 * d * mlp + 2 * rows * d;
  products += d * static_cast<double>(config.embed);
  return 2 * products;
}

}  // namespace openworld

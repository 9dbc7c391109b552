#include "openworld/vlm/block.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>

#include "openworld/vlm/activation.h"

namespace openworld {

at::Tensor linear(const at::Tensor& x, const Affine& layer) {
  return at::linear(x, layer.weight, layer.bias);
}

Affine outputs_of(const Affine& layer, std::int64_t begin, std::int64_t count) {
  return {layer.weight.narrow(0, begin, count), layer.bias.narrow(0, begin, count)};
}

at::Tensor layer_norm(const at::Tensor& x, const Affine& norm, double eps) {
  return at::layer_norm(x, {x.size(-1)}, norm.weight, norm.bias, eps);
}

at::Tensor feed_forward(const at::Tensor& x, const BlockWeights& block, const ClipConfig& config) {
  const at::Tensor hidden = linear(layer_norm(x, block.ln_2, config.layer_norm_eps), block.fc);
  return x + linear(activate(hidden, config.activation), block.proj);
}

}  // namespace openworld

#include "openworld/osr/conv_stack.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/drop_mask.h"
#include "openworld/osr/norm_kernels.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kEpsilon = 1e-5, kMomentum = 0.1;

Tensor channels_last(const Tensor& tensor) {
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

Tensor convolve(const ConvLayer& layer, const Tensor& input, const Tensor& weight,
                const Tensor& bias = {}) {
  return at::convolution(input, weight, bias, {layer.stride, layer.stride},
                         {layer.padding, layer.padding}, {1, 1}, layer.transposed, {0, 0}, 1);
}

// The side of the output for an input of that side.
std::int64_t output_side(const ConvLayer& layer, std::int64_t side) {
  if (layer.transposed) return (side - 1) * layer.stride - 2 * layer.padding + layer.kernel;
  return (side + 2 * layer.padding - layer.kernel) / layer.stride + 1;
}

std::vector<float> to_floats(const Tensor& tensor) {
  const Tensor row = tensor.detach().contiguous();
  const float* const values = row.data_ptr<float>();
  return {values, values + row.numel()};
}

NormRows rows_of(const ConvPass::Layer& layer, const Tensor& y, std::int64_t first,
                 const ConvLayer& shape) {
  const std::int64_t image_rows = y.size(2) * y.size(3);
  return {.y = y.data_ptr<float>(),
          .rows = y.size(0) * image_rows,
          .image_rows = image_rows,
          .channels = y.size(1),
          .scale = layer.scale.data(),
          .shift = layer.shift.data(),
          .mask = layer.mask.defined() ? layer.mask.data_ptr<float>() + first * y.size(1) : nullptr,
          .slope = static_cast<float>(shape.slope)};
}

// The sums over parts, in their order, of rows of `count` doubles.
std::vector<double> sum_parts(const std::vector<std::vector<double>>& parts) {
  std::vector<double> sum(parts[0].size());
  for (const std::vector<double>& part : parts) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
  }
  return sum;
}

std::size_t part_of(std::int64_t first) {
  return static_cast<std::size_t>(first / kPartSize);
}

}  // namespace

Tensor ConvPass::activation(std::size_t l) const {
  return plain ? outputs[l] : at::cat(layers[l].z);
}

ConvStack::ConvStack(std::vector<ConvLayer> layers, int norm_sets, double deviation,
                     std::uint64_t seed, std::uint64_t stream)
    : layers_(std::move(layers)), norm_sets_(norm_sets) {
  const auto add = [&](const std::string& name, const Tensor& value) {
    parameters_[name] = value.detach().set_requires_grad(true);
  };
  for (const ConvLayer& layer : layers_) {
    const std::int64_t rows = layer.transposed ? layer.inputs : layer.outputs;
    const std::int64_t columns = layer.transposed ? layer.outputs : layer.inputs;
    // normal_values has a standard deviation of 0.02.
    add(layer.conv + ".weight",
        normal_values({rows, columns, layer.kernel, layer.kernel}, seed, stream++) *
            (deviation / 0.02));
    if (layer.norm.empty()) continue;
    for (int set = 0; set < norm_sets_; ++set) {
      add(norm_name(layer, set, "weight"), normal_values({layer.outputs}, seed, stream++) + 1);
      add(norm_name(layer, set, "bias"), at::zeros({layer.outputs}));
      buffers_[norm_name(layer, set, "running_mean")] = at::zeros({layer.outputs});
      buffers_[norm_name(layer, set, "running_var")] = at::ones({layer.outputs});
    }
  }
}

std::string ConvStack::norm_name(const ConvLayer& layer, int norm_set, const char* tensor) const {
  const std::string set = norm_sets_ > 1 ? ".bns." + std::to_string(norm_set) : "";
  return layer.norm + set + "." + tensor;
}

void ConvStack::to_double() {
  for (auto& [name, tensor] : parameters_) {
    tensor = tensor.detach().to(at::kDouble).set_requires_grad(true);
  }
  for (auto& [name, tensor] : buffers_) tensor = tensor.to(at::kDouble);
}

std::vector<Tensor> ConvStack::draw_masks(std::int64_t n, Random& random) const {
  std::vector<Tensor> masks;
  for (const ConvLayer& layer : layers_) {
    masks.push_back(layer.dropout > 0 ? draw_mask(n, layer.outputs, layer.dropout, random)
                                      : Tensor());
  }
  return masks;
}

// Scale and shift by which the batch is normalised, from its sums and sums of squares; moves the
// running statistics.
void ConvStack::set_norm(const ConvLayer& layer, int norm_set, const std::vector<double>& moments,
                         std::int64_t rows, ConvPass::Layer& saved) const {
  const auto channels = static_cast<std::size_t>(layer.outputs);
  if (layer.norm.empty()) {
    saved.scale.assign(channels, 1);
    saved.shift.assign(channels, 0);
    return;
  }
  const std::vector<float> weight = to_floats(parameters_.at(norm_name(layer, norm_set, "weight")));
  const std::vector<float> bias = to_floats(parameters_.at(norm_name(layer, norm_set, "bias")));
  float* const running_mean =
      buffers_.at(norm_name(layer, norm_set, "running_mean")).data_ptr<float>();
  float* const running_var =
      buffers_.at(norm_name(layer, norm_set, "running_var")).data_ptr<float>();
  const auto n = static_cast<double>(rows);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = moments[c] / n;
    const double variance = std::max(moments[channels + c] / n - mean * mean, 0.0);
    const double inverse = 1 / std::sqrt(variance + kEpsilon);
    const double scale = static_cast<double>(weight[c]) * inverse;
    saved.mean.push_back(static_cast<float>(mean));
    saved.inverse.push_back(static_cast<float>(inverse));
    saved.scale.push_back(static_cast<float>(scale));
    saved.shift.push_back(static_cast<float>(static_cast<double>(bias[c]) - mean * scale));
    const double unbiased = rows > 1 ? variance * n / (n - 1) : variance;
    running_mean[c] = static_cast<float>((1 - kMomentum) * static_cast<double>(running_mean[c]) +
                                         kMomentum * mean);
    running_var[c] = static_cast<float>((1 - kMomentum) * static_cast<double>(running_var[c]) +
                                        kMomentum * unbiased);
  }
}

ConvPass ConvStack::forward(const Tensor& input, const std::vector<Tensor>& masks, int norm_set,
                            BatchThreads& threads) const {
  if (input.scalar_type() != at::kFloat || !uses_kernels(input.device())) {
    return plain_forward(input, masks, norm_set);
  }
  const at::NoGradGuard no_grad;
  const std::int64_t n = input.size(0);
  const auto parts = static_cast<std::size_t>(part_count(n, kPartSize));
  ConvPass pass;
  pass.norm_set = norm_set;
  const Tensor images = channels_last(input.detach());
  for (std::int64_t first = 0; first < n; first += kPartSize) {
    pass.input.push_back(images.narrow(0, first, std::min(kPartSize, n - first)));
  }
  pass.layers.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ConvLayer& layer = layers_[l];
    ConvPass::Layer& saved = pass.layers[l];
    const std::vector<Tensor>& inputs = l == 0 ? pass.input : pass.layers[l - 1].z;
    const Tensor weight = channels_last(parameters_.at(layer.conv + ".weight").detach());
    saved.y.resize(parts);
    saved.z.resize(parts);
    if (!masks.empty() && masks[l].defined()) saved.mask = masks[l].to(at::kFloat).contiguous();
    const auto channels = static_cast<std::size_t>(layer.outputs);
    std::vector<std::vector<double>> moments(parts, std::vector<double>(2 * channels));
    threads.run(n, kPartSize, [&](std::int64_t first, std::int64_t) {
      const std::size_t part = part_of(first);
      const Tensor y = channels_last(convolve(layer, inputs[part], weight));
      saved.y[part] = y;
      if (layer.norm.empty()) return;
      add_moments(y.data_ptr<float>(), y.numel() / layer.outputs, layer.outputs,
                  moments[part].data(), moments[part].data() + channels);
    });
    const std::int64_t rows = n * saved.y[0].size(2) * saved.y[0].size(3);
    set_norm(layer, norm_set, sum_parts(moments), rows, saved);
    threads.run(n, kPartSize, [&](std::int64_t first, std::int64_t) {
      const std::size_t part = part_of(first);
      const Tensor z = at::empty_like(saved.y[part]);
      norm_forward(rows_of(saved, saved.y[part], first, layer), z.data_ptr<float>());
      saved.z[part] = z;
    });
  }
  pass.output = at::cat(pass.layers.back().z);
  return pass;
}

void ConvStack::add_gradient(const std::string& name, const Tensor& gradient) const {
  Tensor& grad = parameters_.at(name).mutable_grad();
  if (grad.defined()) {
    grad.add_(gradient);
  } else {
    grad = gradient.contiguous().clone();
  }
}

Tensor ConvStack::backward(ConvPass& pass, const Tensor& gradient, bool of_parameters,
                           bool of_input, BatchThreads& threads) const {
  if (pass.plain) return plain_backward(pass, gradient, of_parameters, of_input);
  const at::NoGradGuard no_grad;
  const std::int64_t n = gradient.size(0);
  const auto parts = static_cast<std::size_t>(part_count(n, kPartSize));
  const Tensor whole = channels_last(gradient.detach());
  std::vector<Tensor> dz;
  for (std::int64_t first = 0; first < n; first += kPartSize) {
    dz.push_back(whole.narrow(0, first, std::min(kPartSize, n - first)));
  }
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const ConvLayer& layer = layers_[l];
    ConvPass::Layer& saved = pass.layers[l];
    const std::vector<Tensor>& inputs = l == 0 ? pass.input : pass.layers[l - 1].z;
    const auto channels = static_cast<std::size_t>(layer.outputs);
    std::vector<float> by_y(channels), constant(channels);
    if (!layer.norm.empty()) {
      std::vector<std::vector<double>> moments(parts, std::vector<double>(2 * channels));
      threads.run(n, kPartSize, [&](std::int64_t first, std::int64_t) {
        const std::size_t part = part_of(first);
        add_gradient_moments(rows_of(saved, saved.y[part], first, layer),
                             dz[part].data_ptr<float>(), moments[part].data(),
                             moments[part].data() + channels);
      });
      const std::vector<double> sums = sum_parts(moments);
      const auto rows = static_cast<double>(n * saved.y[0].size(2) * saved.y[0].size(3));
      Tensor of_weight = at::zeros({layer.outputs}), of_bias = at::zeros({layer.outputs});
      for (std::size_t c = 0; c < channels; ++c) {
        const auto mean = static_cast<double>(saved.mean[c]);
        const auto inverse = static_cast<double>(saved.inverse[c]);
        const auto scale = static_cast<double>(saved.scale[c]);
        const double weight_gradient = inverse * (sums[channels + c] - mean * sums[c]);
        const double factor = -scale * inverse * weight_gradient / rows;
        by_y[c] = static_cast<float>(factor);
        constant[c] = static_cast<float>(-scale * sums[c] / rows - factor * mean);
        of_weight.data_ptr<float>()[c] = static_cast<float>(weight_gradient);
        of_bias.data_ptr<float>()[c] = static_cast<float>(sums[c]);
      }
      if (of_parameters) {
        add_gradient(norm_name(layer, pass.norm_set, "weight"), of_weight);
        add_gradient(norm_name(layer, pass.norm_set, "bias"), of_bias);
      }
    }
    const bool wants_input = l > 0 || of_input;
    const Tensor weight = channels_last(parameters_.at(layer.conv + ".weight").detach());
    std::vector<Tensor> weight_gradients(parts), input_gradients(parts);
    if (wants_input || of_parameters) {
      threads.run(n, kPartSize, [&](std::int64_t first, std::int64_t) {
        const std::size_t part = part_of(first);
        const Tensor dy = at::empty_like(saved.y[part]);
        norm_backward(rows_of(saved, saved.y[part], first, layer), dz[part].data_ptr<float>(),
                      by_y.data(), constant.data(), dy.data_ptr<float>());
        auto [dx, dw, db] = at::convolution_backward(
            dy, inputs[part], weight, c10::nullopt, {layer.stride, layer.stride},
            {layer.padding, layer.padding}, {1, 1}, layer.transposed, {0, 0}, 1,
            {wants_input, of_parameters, false});
        if (wants_input) input_gradients[part] = channels_last(dx);
        if (of_parameters) weight_gradients[part] = dw;
      });
    }
    if (of_parameters) {
      Tensor sum = weight_gradients[0];
      for (std::size_t part = 1; part < parts; ++part) sum.add_(weight_gradients[part]);
      add_gradient(layer.conv + ".weight", sum);
    }
    saved = {};  // its activations are not needed any more
    dz = std::move(input_gradients);
  }
  return of_input ? at::cat(dz) : Tensor();
}

ConvPass ConvStack::plain_forward(const Tensor& input, const std::vector<Tensor>& masks,
                                  int norm_set) const {
  const at::AutoGradMode grad(true);
  ConvPass pass;
  pass.norm_set = norm_set;
  pass.plain = true;
  pass.leaf = input.detach().set_requires_grad(true);
  Tensor x = pass.leaf;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const ConvLayer& layer = layers_[l];
    x = convolve(layer, x, parameters_.at(layer.conv + ".weight"));
    if (!layer.norm.empty()) {
      const auto parameter = [&](const char* name) {
        return parameters_.at(norm_name(layer, norm_set, name));
      };
      const auto buffer = [&](const char* name) {
        return buffers_.at(norm_name(layer, norm_set, name));
      };
      x = at::batch_norm(x, parameter("weight"), parameter("bias"), buffer("running_mean"),
                         buffer("running_var"), true, kMomentum, kEpsilon, false);
    }
    if (layer.slope != 1) x = at::leaky_relu(x, layer.slope);
    if (!masks.empty() && masks[l].defined()) {
      x = x * masks[l].to(x.scalar_type()).unsqueeze(2).unsqueeze(3);
    }
    pass.outputs.push_back(x);
  }
  pass.output = x.detach();
  return pass;
}

Tensor ConvStack::plain_backward(ConvPass& pass, const Tensor& gradient, bool of_parameters,
                                 bool of_input) const {
  std::vector<std::string> names;
  torch::autograd::variable_list leaves;
  if (of_input) leaves.push_back(pass.leaf);
  for (const auto& [name, tensor] : parameters_) {
    if (!of_parameters) break;
    names.push_back(name);
    leaves.push_back(tensor);
  }
  if (leaves.empty()) return {};
  const torch::autograd::variable_list gradients =
      torch::autograd::grad({pass.outputs.back()}, leaves, {gradient}, c10::nullopt, false, true);
  const at::NoGradGuard no_grad;
  const std::size_t skip = of_input ? 1 : 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    // The other norm sets get none.
    if (gradients[i + skip].defined()) add_gradient(names[i], gradients[i + skip].detach());
  }
  pass.outputs.clear();
  return of_input ? gradients[0].detach() : Tensor();
}

FusedStack::FusedStack(const ConvStack& stack, int norm_set) {
  const at::NoGradGuard no_grad;
  for (const ConvLayer& layer : stack.layers()) {
    Tensor weight = stack.parameters().at(layer.conv + ".weight").detach();
    Tensor bias;
    if (!layer.norm.empty()) {
      const auto value = [&](const NamedTensors& from, const char* name) {
        return from.at(stack.norm_name(layer, norm_set, name)).detach().to(at::kDouble);
      };
      const Tensor scale = value(stack.parameters(), "weight") /
                           (value(stack.buffers(), "running_var") + kEpsilon).sqrt();
      const at::ScalarType type = weight.scalar_type();
      bias = (value(stack.parameters(), "bias") - value(stack.buffers(), "running_mean") * scale)
                 .to(type);
      const std::vector<std::int64_t> rows = layer.transposed
                                                 ? std::vector<std::int64_t>{1, -1, 1, 1}
                                                 : std::vector<std::int64_t>{-1, 1, 1, 1};
      weight = (weight.to(at::kDouble) * scale.view(rows)).to(type);
    }
    layers_.push_back({layer, channels_last(weight), bias});
  }
}

Tensor FusedStack::run(const Tensor& input, std::vector<Tensor>* trace) const {
  const at::NoGradGuard no_grad;
  Tensor x = channels_last(input);
  for (const Layer& layer : layers_) {
    x = convolve(layer.shape, x, layer.weight, layer.bias);
    if (layer.shape.slope != 1) x = at::leaky_relu_(x, layer.shape.slope);
    if (trace != nullptr) trace->push_back(x);
  }
  return x;
}

ConvFlops conv_flops(const std::vector<ConvLayer>& layers, std::int64_t side) {
  ConvFlops flops;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const ConvLayer& layer = layers[l];
    const std::int64_t next = output_side(layer, side);
    const std::int64_t places = layer.transposed ? side * side : next * next;
    const double of_layer =
        2.0 * static_cast<double>(layer.kernel * layer.kernel * layer.inputs * layer.outputs) *
        static_cast<double>(places);
    flops.forward += of_layer;
    flops.training += of_layer * (l == 0 ? 2 : 3);
    side = next;
  }
  return flops;
}

}  // namespace openworld

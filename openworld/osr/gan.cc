#include "openworld/osr/gan.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linear.h>
#include <torch/csrc/autograd/autograd.h>

#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/streams.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kGanDeviation = 0.02;
constexpr std::int64_t kWidest = 1024;
constexpr std::uint64_t kLinearStream = 64;  // after those of the stack

ConvLayer layer(const char* conv, const char* norm, std::int64_t inputs, std::int64_t outputs,
                double slope) {
  ConvLayer made;
  made.conv = conv;
  made.norm = norm;
  made.inputs = inputs;
  made.outputs = outputs;
  made.kernel = 4;
  made.stride = 2;
  made.padding = 1;
  made.slope = slope;
  return made;
}

std::vector<ConvLayer> generator_layers() {
  std::vector<ConvLayer> layers = {
      layer("conv1", "bn1", Generator::kNoise, 512, 0), layer("conv2", "bn2", 512, 256, 0),
      layer("conv3", "bn3", 256, 128, 0), layer("conv4", "", 128, 3, 1)};
  for (ConvLayer& each : layers) each.transposed = true;
  layers[0].stride = 1;
  layers[0].padding = 0;
  return layers;
}

std::vector<ConvLayer> discriminator_layers() {
  return {layer("conv1", "", 3, 128, 0.2), layer("conv2", "bn2", 128, 256, 0.2),
          layer("conv3", "bn3", 256, 512, 0.2), layer("conv4", "", 512, kWidest, 1)};
}

}  // namespace

Generator::Generator(std::uint64_t seed)
    : stack_(generator_layers(), 1, kGanDeviation, seed,
             static_cast<std::uint64_t>(OsrStream::kGenerator)) {}

Tensor Generator::draw_noise(std::int64_t n, Random& random) {
  Tensor noise = at::empty({n, kNoise, 1, 1}, at::kFloat);
  float* const values = noise.data_ptr<float>();
  for (std::int64_t i = 0; i < noise.numel(); ++i) values[i] = static_cast<float>(random.normal());
  return noise;
}

Generator::Pass Generator::generate(const Tensor& noise, BatchThreads& threads) const {
  Pass pass;
  pass.stack = stack_.forward(noise, {}, 0, threads);
  pass.images = pass.stack.output.sigmoid();
  return pass;
}

void Generator::backward(Pass& pass, const Tensor& of_images, BatchThreads& threads) const {
  const at::NoGradGuard no_grad;
  const Tensor before = of_images * pass.images * (1 - pass.images);
  stack_.backward(pass.stack, before, true, false, threads);
}

Discriminator::Discriminator(std::uint64_t seed)
    : stack_(discriminator_layers(), 1, kGanDeviation, seed,
             static_cast<std::uint64_t>(OsrStream::kDiscriminator)) {
  const LinearValues values = linear_values(
      kWidest, 1, seed, static_cast<std::uint64_t>(OsrStream::kDiscriminator) + kLinearStream);
  linear_["classifier.weight"] = values.weight.detach().set_requires_grad(true);
  linear_["classifier.bias"] = values.bias.detach().set_requires_grad(true);
  share_tensors();
}

void Discriminator::share_tensors() {
  parameters_ = stack_.parameters();
  parameters_.insert(linear_.begin(), linear_.end());
}

void Discriminator::to_double() {
  stack_.to_double();
  for (auto& [name, tensor] : linear_) {
    tensor = tensor.detach().to(at::kDouble).set_requires_grad(true);
  }
  share_tensors();
}

Discriminator::Loss Discriminator::loss(const Tensor& images, double target, bool of_parameters,
                                        bool of_images, BatchThreads& threads) const {
  ConvPass pass = stack_.forward(images, {}, 0, threads);
  const at::AutoGradMode grad(true);
  const Tensor leaf = pass.output.detach().set_requires_grad(true);
  const Tensor& weight = linear_.at("classifier.weight");
  const Tensor& bias = linear_.at("classifier.bias");
  const Tensor real = at::linear(leaf.sigmoid().mean({2, 3}), weight, bias).sigmoid().squeeze(1);
  const Tensor value = at::binary_cross_entropy(real, at::full_like(real, target));
  const torch::autograd::variable_list gradients =
      torch::autograd::grad({value}, {leaf, weight, bias});
  Loss loss;
  loss.value = value.item<double>();
  loss.probability = real.detach();
  loss.of_images = stack_.backward(pass, gradients[0].detach(), of_parameters, of_images, threads);
  if (!of_parameters) return loss;
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, index] : {std::pair(&weight, 1), std::pair(&bias, 2)}) {
    Tensor& sum = parameter->mutable_grad();
    sum = sum.defined() ? sum + gradients[index] : gradients[index].detach();
  }
  return loss;
}

}  // namespace openworld

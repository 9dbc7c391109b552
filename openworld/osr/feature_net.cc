#include "openworld/osr/feature_net.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include "openworld/base/error.h"
#include "openworld/io/tensor_file.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/streams.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kHidden = 256, kFeatures = 128;
constexpr double kNormEpsilon = 1e-5, kNormMomentum = 0.1, kSlope = 0.2;

// With torch's operations and autograd: these networks are small.
class FeaturePass : public NetworkPass {
 public:
  FeaturePass(const NamedTensors& parameters, Tensor leaf, std::vector<Tensor> outputs)
      : parameters_(parameters), leaf_(std::move(leaf)), outputs_(std::move(outputs)) {
    features_ = outputs_.back().detach();
  }

  Tensor backward(const Tensor& gradient, bool of_parameters, bool of_input) override {
    std::vector<Tensor> leaves;
    if (of_input) leaves.push_back(leaf_);
    for (const auto& [name, tensor] : parameters_) {
      if (of_parameters) leaves.push_back(tensor);
    }
    if (leaves.empty()) return {};
    const torch::autograd::variable_list gradients =
        torch::autograd::grad({outputs_.back()}, leaves, {gradient});
    const at::NoGradGuard no_grad;
    for (std::size_t i = of_input ? 1 : 0; i < leaves.size(); ++i) {
      Tensor& grad = leaves[i].mutable_grad();
      grad = grad.defined() ? grad + gradients[i] : gradients[i].detach();
    }
    return of_input ? gradients[0].detach() : Tensor();
  }

  std::vector<Tensor> activations() const override {
    std::vector<Tensor> outputs;
    for (const Tensor& output : outputs_) outputs.push_back(output.detach());
    return outputs;
  }

 private:
  const NamedTensors& parameters_;
  Tensor leaf_;
  std::vector<Tensor> outputs_;
};

class FeatureNet : public Network {
 public:
  explicit FeatureNet(const NetworkShape& shape) : input_(shape.input) {
    buffers_["input.mean"] = at::zeros({input_});
    buffers_["input.deviation"] = at::ones({input_});
  }

  void fit_input(const Tensor& samples) override {
    const at::NoGradGuard no_grad;
    check(samples);
    const Tensor values = samples.to(at::kDouble);
    const Tensor mean = values.mean(0);
    const Tensor deviation = (values - mean).square().mean(0).sqrt();
    // A column that does not vary says nothing; it stays 0.
    const Tensor usable = at::where(deviation > 1e-12, deviation, at::ones_like(deviation));
    buffers_.at("input.mean").copy_(mean);
    buffers_.at("input.deviation").copy_(usable);
  }

  std::unique_ptr<NetworkPass> train(const Tensor& input, const std::vector<Tensor>&, int,
                                     BatchThreads&) override {
    check(input);
    const at::AutoGradMode grad(true);
    const Tensor leaf = input.detach().set_requires_grad(true);
    return std::make_unique<FeaturePass>(parameters_, leaf, layers(leaf, true));
  }

  Tensor evaluate(const Tensor& input, BatchThreads&, std::vector<Tensor>* trace) const override {
    check(input);
    const at::NoGradGuard no_grad;
    const std::vector<Tensor> outputs = layers(input, false);
    if (trace != nullptr) *trace = outputs;
    return outputs.back();
  }

  double training_flops() const override { return 3 * forward_flops(); }

  void to_double() override {
    for (auto& [name, tensor] : parameters_) {
      tensor = tensor.detach().to(at::kDouble).set_requires_grad(true);
    }
    for (auto& [name, tensor] : buffers_) tensor = tensor.to(at::kDouble);
  }

 protected:
  // The output of every layer, the standardised input first.
  virtual std::vector<Tensor> layers(const Tensor& input, bool) const {
    return {standardised(input)};
  }

  Tensor standardised(const Tensor& input) const {
    return (input - buffers_.at("input.mean")) / buffers_.at("input.deviation");
  }

  void add_parameter(const std::string& name, const Tensor& value) {
    parameters_[name] = value.detach().set_requires_grad(true);
  }

  std::int64_t input_;

 private:
  void check(const Tensor& input) const {
    if (input.dim() == 2 && input.size(0) > 0 && input.size(1) == input_) return;
    fail("osr", fmt::format("features are {}; expected [N, {}]", tensor_shape_text(input.sizes()),
                            input_));
  }
};

class LinearNet : public FeatureNet {
 public:
  using FeatureNet::FeatureNet;

  std::int64_t width() const override { return input_; }
  double forward_flops() const override { return 0; }
};

class Mlp : public FeatureNet {
 public:
  explicit Mlp(const NetworkShape& shape) : FeatureNet(shape) {
    const auto stream = static_cast<std::uint64_t>(OsrStream::kNetwork);
    const LinearValues first = linear_values(input_, kHidden, shape.seed, stream);
    const LinearValues second = linear_values(kHidden, kFeatures, shape.seed, stream + 2);
    add_parameter("fc1.weight", first.weight);
    add_parameter("fc1.bias", first.bias);
    add_parameter("bn1.weight", at::ones({kHidden}));
    add_parameter("bn1.bias", at::zeros({kHidden}));
    add_parameter("fc2.weight", second.weight);
    add_parameter("fc2.bias", second.bias);
    buffers_["bn1.running_mean"] = at::zeros({kHidden});
    buffers_["bn1.running_var"] = at::ones({kHidden});
  }

  std::int64_t width() const override { return kFeatures; }
  double forward_flops() const override {
    return 2.0 * static_cast<double>(kHidden * (input_ + kFeatures));
  }

 protected:
  std::vector<Tensor> layers(const Tensor& input, bool training) const override {
    const auto parameter = [&](const char* name) { return parameters_.at(name); };
    const Tensor x = standardised(input);
    const Tensor first = at::linear(x, parameter("fc1.weight"), parameter("fc1.bias"));
    const Tensor hidden = at::leaky_relu(
        at::batch_norm(first, parameter("bn1.weight"), parameter("bn1.bias"),
                       buffers_.at("bn1.running_mean"), buffers_.at("bn1.running_var"), training,
                       kNormMomentum, kNormEpsilon, false),
        kSlope);
    return {x, hidden, at::linear(hidden, parameter("fc2.weight"), parameter("fc2.bias"))};
  }
};

}  // namespace

std::unique_ptr<Network> make_linear_net(const NetworkShape& shape) {
  return std::make_unique<LinearNet>(shape);
}

std::unique_ptr<Network> make_mlp(const NetworkShape& shape) {
  return std::make_unique<Mlp>(shape);
}

}  // namespace openworld

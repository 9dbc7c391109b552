#include "openworld/osr/conv_net.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/io/tensor_file.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/osr/conv_stack.h"
#include "openworld/osr/drop_mask.h"
#include "openworld/osr/streams.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr double kWeightDeviation = 0.05;    // of first weights
constexpr std::int64_t kScoringPart = 16;    // images that go through all layers together
constexpr std::uint64_t kUnusedStream = 64;  // after those of the stack

struct ConvNetShape {
  std::vector<ConvLayer> layers;
  double input_dropout = 0;
  std::string unused_norm;  // its tensors are there all the same
};

class ConvNetPass : public NetworkPass {
 public:
  ConvNetPass(const ConvStack& stack, ConvPass pass, Tensor input_mask, BatchThreads& threads)
      : stack_(stack),
        pass_(std::move(pass)),
        input_mask_(std::move(input_mask)),
        threads_(threads) {
    features_ = pass_.output.mean({2, 3});
  }

  Tensor backward(const Tensor& gradient, bool of_parameters, bool of_input) override {
    const at::NoGradGuard no_grad;
    const auto places = static_cast<double>(pass_.output.size(2) * pass_.output.size(3));
    const Tensor spread =
        (gradient / places).unsqueeze(2).unsqueeze(3).expand(pass_.output.sizes());
    Tensor of_image = stack_.backward(pass_, spread, of_parameters, of_input, threads_);
    if (of_input && input_mask_.defined()) of_image = of_image * input_mask_;
    return of_image;
  }

  std::vector<Tensor> activations() const override {
    std::vector<Tensor> outputs;
    for (std::size_t l = 0; l < stack_.layers().size(); ++l) {
      outputs.push_back(pass_.activation(l).detach());
    }
    return outputs;
  }

 private:
  const ConvStack& stack_;
  ConvPass pass_;
  Tensor input_mask_;  // [n, channels, 1, 1], or undefined
  BatchThreads& threads_;
};

class ConvNet : public Network {
 public:
  ConvNet(const ConvNetShape& net, const NetworkShape& shape)
      : input_dropout_(net.input_dropout),
        unused_norm_(net.unused_norm),
        stack_(net.layers, shape.norm_sets, kWeightDeviation, shape.seed,
               static_cast<std::uint64_t>(OsrStream::kNetwork)),
        flops_(conv_flops(net.layers, kNetworkSide)) {
    if (!unused_norm_.empty()) add_unused_norm(shape);
    share_tensors();
  }

  std::int64_t width() const override { return stack_.layers().back().outputs; }

  // The first is that of the input.
  std::vector<Tensor> draw_masks(std::int64_t n, Random& random) const override {
    std::vector<Tensor> masks = {
        input_dropout_ > 0 ? draw_mask(n, channels(), input_dropout_, random) : Tensor()};
    for (Tensor& mask : stack_.draw_masks(n, random)) masks.push_back(std::move(mask));
    return masks;
  }

  std::unique_ptr<NetworkPass> train(const Tensor& input, const std::vector<Tensor>& masks,
                                     int norm_set, BatchThreads& threads) override {
    check(input);
    Tensor input_mask;
    std::vector<Tensor> of_layers;
    if (!masks.empty()) {
      if (masks[0].defined()) {
        input_mask = masks[0].to(input.options()).unsqueeze(2).unsqueeze(3);
      }
      of_layers.assign(masks.begin() + 1, masks.end());
    }
    const at::NoGradGuard no_grad;
    const Tensor shown = input_mask.defined() ? input * input_mask : input;
    return std::make_unique<ConvNetPass>(
        stack_, stack_.forward(shown, of_layers, norm_set, threads), input_mask, threads);
  }

  Tensor evaluate(const Tensor& input, BatchThreads& threads,
                  std::vector<Tensor>* trace) const override {
    check(input);
    const at::NoGradGuard no_grad;
    const FusedStack fused(stack_, 0);
    if (trace != nullptr) return fused.run(input, trace).mean({2, 3});
    const std::int64_t n = input.size(0);
    std::vector<Tensor> parts(static_cast<std::size_t>(part_count(n, kScoringPart)));
    threads.run(n, kScoringPart, [&](std::int64_t first, std::int64_t count) {
      parts[static_cast<std::size_t>(first / kScoringPart)] =
          fused.run(input.narrow(0, first, count)).mean({2, 3});
    });
    return at::cat(parts);
  }

  double forward_flops() const override { return flops_.forward; }
  double training_flops() const override { return flops_.training; }

  void to_double() override {
    stack_.to_double();
    for (auto& [name, tensor] : unused_parameters_) {
      tensor = tensor.detach().to(at::kDouble).set_requires_grad(true);
    }
    for (auto& [name, tensor] : unused_buffers_) tensor = tensor.to(at::kDouble);
    share_tensors();
  }

 private:
  std::int64_t channels() const { return stack_.layers().front().inputs; }

  void check(const Tensor& input) const {
    if (input.dim() == 4 && input.size(0) > 0 && input.size(1) == channels() &&
        input.size(2) == kNetworkSide && input.size(3) == kNetworkSide) {
      return;
    }
    fail("osr",
         fmt::format("images are {}; expected [N, {}, {}, {}]", tensor_shape_text(input.sizes()),
                     channels(), kNetworkSide, kNetworkSide));
  }

  void add_unused_norm(const NetworkShape& shape) {
    ConvLayer like;
    like.norm = unused_norm_;
    like.outputs = width();
    const std::uint64_t stream = static_cast<std::uint64_t>(OsrStream::kNetwork) + kUnusedStream;
    for (int set = 0; set < shape.norm_sets; ++set) {
      const auto name = [&](const char* tensor) { return stack_.norm_name(like, set, tensor); };
      const Tensor weight =
          normal_values({width()}, shape.seed, stream + static_cast<std::uint64_t>(set)) + 1;
      unused_parameters_[name("weight")] = weight.set_requires_grad(true);
      unused_parameters_[name("bias")] = at::zeros({width()}).set_requires_grad(true);
      unused_buffers_[name("running_mean")] = at::zeros({width()});
      unused_buffers_[name("running_var")] = at::ones({width()});
    }
  }

  void share_tensors() {
    parameters_ = stack_.parameters();
    parameters_.insert(unused_parameters_.begin(), unused_parameters_.end());
    buffers_ = stack_.buffers();
    buffers_.insert(unused_buffers_.begin(), unused_buffers_.end());
  }

  double input_dropout_;
  std::string unused_norm_;
  ConvStack stack_;
  ConvFlops flops_;
  NamedTensors unused_parameters_, unused_buffers_;
};

// conv1, bn1, conv2, ...
std::vector<ConvLayer> numbered(std::vector<ConvLayer> layers) {
  for (std::size_t l = 0; l < layers.size(); ++l) {
    layers[l].conv = fmt::format("conv{}", l + 1);
    layers[l].norm = fmt::format("bn{}", l + 1);
  }
  return layers;
}

ConvLayer conv(std::int64_t inputs, std::int64_t outputs, std::int64_t stride = 1,
               double dropout = 0) {
  ConvLayer layer;
  layer.inputs = inputs;
  layer.outputs = outputs;
  layer.stride = stride;
  layer.dropout = dropout;
  return layer;
}

}  // namespace

std::unique_ptr<Network> make_vgg32(const NetworkShape& shape) {
  constexpr double kDropout = 0.2;
  return std::make_unique<ConvNet>(
      ConvNetShape{
          .layers = numbered({conv(shape.input, 64), conv(64, 64), conv(64, 128, 2, kDropout),
                              conv(128, 128), conv(128, 128), conv(128, 128, 2, kDropout),
                              conv(128, 128), conv(128, 128), conv(128, 128, 2)}),
          .input_dropout = kDropout,
          .unused_norm = "bn10"},
      shape);
}

std::unique_ptr<Network> make_small_net(const NetworkShape& shape) {
  constexpr double kDropout = 0.1;
  return std::make_unique<ConvNet>(
      ConvNetShape{
          .layers = numbered({conv(shape.input, 32), conv(32, 64, 2, kDropout), conv(64, 64),
                              conv(64, 128, 2, kDropout), conv(128, 128, 2)}),
          .input_dropout = 0,
          .unused_norm = ""},
      shape);
}

}  // namespace openworld

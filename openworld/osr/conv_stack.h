#pragma once

// Convolutions with batch norm and LeakyReLU, one after the other: classifiers of small images,
// and both sides of a GAN.
//
// In training, a batch is cut into parts (batch_threads.h). A layer convolves each part, through
// libtorch, and sums its moments while it is in the cache; the moments of the parts, added in their
// order, give the norm of the batch; then each part is normalised, activated and masked in one
// pass. The way back is the same, so that nothing but moments and gradients of weights crosses
// parts, and activations are never put together. Activations have their channels last, as oneDNN
// likes them.
//
// Doubles, and tensors on other devices than the CPU, go through torch's own operations and
// autograd instead.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/osr/batch_threads.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {

struct ConvLayer {
  std::string conv;  // the prefix of its tensors, "conv1"
  std::string norm;  // "bn1"; empty: no batch norm
  std::int64_t inputs = 0, outputs = 0;
  std::int64_t kernel = 3, stride = 1, padding = 1;
  bool transposed = false;
  double slope = 0.2;  // of LeakyReLU below 0; 0: ReLU, 1: none
  double dropout = 0;  // of whole channels of the output
};

// A pass in training mode.
struct ConvPass {
  at::Tensor output;  // [n, channels, height, width]
  int norm_set = 0;

  // What the way back needs, by layer.
  struct Layer {
    std::vector<at::Tensor> y;                       // before the norm, by part
    std::vector<at::Tensor> z;                       // after mask and activation, by part
    std::vector<float> scale, shift, mean, inverse;  // of the norm; inverse: 1 / deviation
    at::Tensor mask;                                 // [n, channels], or undefined
  };
  std::vector<at::Tensor> input;  // by part
  std::vector<Layer> layers;

  // Of torch's operations instead.
  bool plain = false;
  at::Tensor leaf;                  // the input
  std::vector<at::Tensor> outputs;  // of every layer, with their graph

  // The output of layer l.
  at::Tensor activation(std::size_t l) const;
};

class ConvStack {
 public:
  // Weights N(0, deviation^2); norms have weights N(1, 0.02^2). With several norm sets each batch
  // norm exists as often, under names "bn1.bns.0.weight".
  ConvStack(std::vector<ConvLayer> layers, int norm_sets, double deviation, std::uint64_t seed,
            std::uint64_t stream);

  const std::vector<ConvLayer>& layers() const { return layers_; }
  const NamedTensors& parameters() const { return parameters_; }
  const NamedTensors& buffers() const { return buffers_; }

  // A mask for each layer, [n, channels] of 0 and 1 / (1 - dropout), undefined where it has none.
  std::vector<at::Tensor> draw_masks(std::int64_t n, Random& random) const;

  // Updates the running statistics of the norm set. `masks` has one for each layer, or is empty.
  ConvPass forward(const at::Tensor& input, const std::vector<at::Tensor>& masks, int norm_set,
                   BatchThreads& threads) const;

  // Adds to the gradients of the parameters, if asked for, and returns that of the input, if asked
  // for. A pass goes back once.
  at::Tensor backward(ConvPass& pass, const at::Tensor& gradient, bool of_parameters, bool of_input,
                      BatchThreads& threads) const;

  // The name of a tensor of a norm: "bn1.weight".
  std::string norm_name(const ConvLayer& layer, int norm_set, const char* tensor) const;

  // Everything in double.
  void to_double();

 private:
  ConvPass plain_forward(const at::Tensor& input, const std::vector<at::Tensor>& masks,
                         int norm_set) const;
  at::Tensor plain_backward(ConvPass& pass, const at::Tensor& gradient, bool of_parameters,
                            bool of_input) const;
  void set_norm(const ConvLayer& layer, int norm_set, const std::vector<double>& moments,
                std::int64_t rows, ConvPass::Layer& saved) const;
  void add_gradient(const std::string& name, const at::Tensor& gradient) const;

  std::vector<ConvLayer> layers_;
  int norm_sets_;
  NamedTensors parameters_, buffers_;
};

// The stack in evaluation mode, of the values it has now: batch norms, by their running statistics,
// are part of the weights.
class FusedStack {
 public:
  FusedStack(const ConvStack& stack, int norm_set);

  // Of one part, on the threads that the caller has set. `trace`, if not null, gets the output of
  // every layer.
  at::Tensor run(const at::Tensor& input, std::vector<at::Tensor>* trace = nullptr) const;

 private:
  struct Layer {
    ConvLayer shape;
    at::Tensor weight, bias;
  };
  std::vector<Layer> layers_;
};

// Operations, two for each product, of one sample of side x side pixels: forward, and those of the
// way back to the weights and to the input of every layer but the first.
struct ConvFlops {
  double forward = 0, training = 0;
};
ConvFlops conv_flops(const std::vector<ConvLayer>& layers, std::int64_t side);

}  // namespace openworld

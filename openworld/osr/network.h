#pragma once

// A network: images or features in, one feature vector for each out. A row in network.cc each.
//
//   vgg32   classifier32 of ARPL's code: nine convolutions, 128 features, 1.0 M numbers
//   small   five convolutions, 128 features, an eighth of the operations
//   linear  features as they are, standardised: with any method a linear classifier
//   mlp     one hidden layer on them, 128 features
//
// Names of tensors are those of the published state dicts.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/osr/batch_threads.h"
#include "openworld/vlm/tensor_state.h"

namespace openworld {

// What a network is made for.
struct NetworkShape {
  std::int64_t input = 3;  // channels of images, or width of features
  int norm_sets = 1;       // 2: one for generated images
  std::uint64_t seed = 1;
};

// A pass in training mode.
class NetworkPass {
 public:
  virtual ~NetworkPass() = default;

  const at::Tensor& features() const { return features_; }  // [n, width], without a graph

  // From the gradient of the features: adds to the gradients of the parameters, if asked for, and
  // returns that of the input, if asked for. Once.
  virtual at::Tensor backward(const at::Tensor& gradient, bool of_parameters, bool of_input) = 0;

  // The output of each layer, in order: for tests.
  virtual std::vector<at::Tensor> activations() const = 0;

 protected:
  at::Tensor features_;
};

class Network {
 public:
  virtual ~Network() = default;

  // Leaves, with gradients, and running statistics.
  const NamedTensors& parameters() const { return parameters_; }
  const NamedTensors& buffers() const { return buffers_; }
  virtual std::int64_t width() const = 0;

  // Standardises by the training samples, of networks that take features.
  virtual void fit_input(const at::Tensor& samples);

  // Masks of dropout for n samples, for train().
  virtual std::vector<at::Tensor> draw_masks(std::int64_t n, Random& random) const;

  // `masks` may be empty: no dropout. REQUIRES: `threads` and the network outlive the pass.
  virtual std::unique_ptr<NetworkPass> train(const at::Tensor& input,
                                             const std::vector<at::Tensor>& masks, int norm_set,
                                             BatchThreads& threads) = 0;

  // Features [n, width] in evaluation mode. `trace`, if not null, gets the outputs of all layers.
  // Throws Error, as [osr], for an input of another size than the network's.
  virtual at::Tensor evaluate(const at::Tensor& input, BatchThreads& threads,
                              std::vector<at::Tensor>* trace = nullptr) const = 0;

  // Operations of a sample.
  virtual double forward_flops() const = 0;
  virtual double training_flops() const = 0;

  virtual void to_double() = 0;

 protected:
  NamedTensors parameters_, buffers_;
};

struct NetworkRow {
  std::string_view name;
  std::string_view description;  // one line, no full stop
  bool takes_images = false;
  std::int64_t width = 0;  // of its features; 0: that of its input
  std::unique_ptr<Network> (*make)(const NetworkShape& shape);
};

std::span<const NetworkRow> networks();

// Throws Error, as [osr], that lists the names there are.
const NetworkRow& find_network(std::string_view name);

// The most channels of images, or dimensions of features, that a network may be made for.
std::int64_t most_inputs(const NetworkRow& row);

// The side of images that networks take.
inline constexpr std::int64_t kNetworkSide = 32;

}  // namespace openworld

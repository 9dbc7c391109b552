#pragma once

// The GAN of ARPL+CS: Generator32 and Discriminator32 of ARPL's code.
//
//   generator      noise of 100 -> 512 x 4 x 4 -> 256 x 8 x 8 -> 128 x 16 x 16 -> 3 x 32 x 32,
//                  transposed convolutions of 4 x 4 with batch norm and ReLU, at the end a sigmoid
//   discriminator  3 -> 128 -> 256 -> 512 -> 1024 channels, convolutions of 4 x 4 and stride 2 with
//                  LeakyReLU 0.2, batch norm on the middle two; then a sigmoid, the mean over
//                  places, a linear layer and a sigmoid

#include <cstdint>

#include "openworld/osr/conv_stack.h"

namespace openworld {

class Generator {
 public:
  static constexpr std::int64_t kNoise = 100;

  explicit Generator(std::uint64_t seed);

  const ConvStack& stack() const { return stack_; }
  const NamedTensors& parameters() const { return stack_.parameters(); }

  // N(0, 1), [n, 100, 1, 1].
  static at::Tensor draw_noise(std::int64_t n, Random& random);

  struct Pass {
    ConvPass stack;
    at::Tensor images;  // [n, 3, 32, 32], in (0, 1)
  };
  Pass generate(const at::Tensor& noise, BatchThreads& threads) const;

  // Adds to the gradients of the parameters.
  void backward(Pass& pass, const at::Tensor& of_images, BatchThreads& threads) const;

  void to_double() { stack_.to_double(); }

 private:
  ConvStack stack_;
};

class Discriminator {
 public:
  explicit Discriminator(std::uint64_t seed);

  const ConvStack& stack() const { return stack_; }
  // Those of the stack, and "classifier.weight" and "classifier.bias".
  const NamedTensors& parameters() const { return parameters_; }

  struct Loss {
    double value = 0;
    at::Tensor of_images;    // its gradient, if asked for
    at::Tensor probability;  // [n], of being real
  };
  // The binary cross-entropy of calling the images real (target 1) or generated (target 0).
  Loss loss(const at::Tensor& images, double target, bool of_parameters, bool of_images,
            BatchThreads& threads) const;

  void to_double();

 private:
  void share_tensors();

  ConvStack stack_;
  NamedTensors linear_, parameters_;
};

}  // namespace openworld

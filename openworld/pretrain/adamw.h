#pragma once

// AdamW (Loshchilov and Hutter, 2019), and the schedule of its step size.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

namespace openworld {

struct AdamWOptions {
  double beta1 = 0.9;
  double beta2 = 0.98;
  double epsilon = 1e-6;
  double weight_decay = 0.1;
  double clip = 1;  // largest norm of all gradients together; 0: any
};

class AdamW {
 public:
  using Tensors = std::map<std::string, at::Tensor>;

  // Of `parameters`, which it changes in place. As in OpenCLIP, norms, biases and the temperature,
  // whose tensors have fewer than two dimensions, do not decay.
  AdamW(const Tensors& parameters, const AdamWOptions& options);

  // One step along the gradients, which it then clears; those of parameters that got none count as
  // 0. Returns the norm of all gradients before clipping. Nothing changes if that is not finite.
  double step(double rate);

  std::int64_t steps() const { return steps_; }

  // The running means of gradients and of their squares, by the parameters' names, for checkpoints.
  const Tensors& first_moments() const { return first_; }
  const Tensors& second_moments() const { return second_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  Tensors parameters_, first_, second_;
  AdamWOptions options_;
  std::int64_t steps_ = 0;
};

// Step `step` of `steps` (from 0): rises linearly over `warmup` steps, then falls to 0 as half a
// cosine.
double warmup_cosine(std::int64_t step, std::int64_t steps, std::int64_t warmup, double peak);

}  // namespace openworld

#pragma once

// The optimisers of prompt learning as Dassl sets them up, and the schedules of their learning
// rate.
//
//   sgd    g += decay p;  v = momentum v + g (v = g at first);  p -= lr v
//   adam   g += decay p;  torch's Adam

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>

#include "openworld/vlm/tensor_state.h"

namespace openworld {

enum class OptimizerKind { kSgd, kAdam };

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::kSgd;
  double momentum = 0.9;
  double weight_decay = 5e-4;  // L2, added to the gradient
  double epsilon = 1e-8;       // of adam
  double beta1 = 0.9, beta2 = 0.999;
};

class Optimizer {
 public:
  // Of `parameters`, which it changes in place.
  Optimizer(const NamedTensors& parameters, const OptimizerOptions& options);

  // One step along the gradients, which it then clears. A parameter without one stays as it is.
  // `other_rates` are learning rates of single parameters.
  void step(double lr, const std::map<std::string, double>& other_rates = {});

  // What it remembers, for checkpoints: copied into by whoever resumes.
  const NamedTensors& memory() const { return memory_; }
  std::int64_t steps() const { return steps_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  NamedTensors parameters_, memory_;
  OptimizerOptions options_;
  std::int64_t steps_ = 0;
};

enum class Schedule {
  kConstant,
  // Dassl's cosine after one epoch at 1e-5: base (1 + cos(pi (e - 1) / epochs)) / 2, which never
  // reaches 0.
  kDassl,
  kCosine,      // base (1 + cos(pi e / epochs)) / 2
  kCosineStep,  // the same with steps for e: DeCoOp steps its schedule at every iteration
};

// The learning rate in epoch `epoch` of `epochs`, in the stage's step number `step` (both from 0).
double scheduled_lr(Schedule schedule, double base, std::int64_t epoch, std::int64_t epochs,
                    std::int64_t step);

}  // namespace openworld

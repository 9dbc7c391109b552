#pragma once

// AdamW (Loshchilov and Hutter, 2019), and the schedule of its learning rate.

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "openworld/pretrain/spec/pretrain_options.h"

namespace openworld {

class AdamW {
 public:
  using Tensors = std::map<std::string, at::Tensor>;

  // Of `parameters`, which it changes in place. As in OpenCLIP, norms, biases and the logit scale,
  // whose tensors have fewer than two dimensions, do not decay; nor do those named in `undecayed`.
  AdamW(const Tensors& parameters, const AdamWOptions& options,
        const std::set<std::string>& undecayed = {});

  // Calls work(i) for i in [0, n), on as many threads as it likes.
  using Runner = std::function<void(std::size_t n, const std::function<void(std::size_t)>& work)>;

  // One step along the gradients, which it then clears; those of parameters that got none count as
  // 0. Returns the norm of all gradients before clipping. Nothing changes if that is not finite.
  // The result is the same for every runner.
  double step(double lr, const Runner& runner);

  std::int64_t steps() const { return steps_; }

  // The running means of gradients and of their squares, by the parameters' names, for checkpoints.
  const Tensors& first_moments() const { return first_; }
  const Tensors& second_moments() const { return second_; }
  void set_steps(std::int64_t steps) { steps_ = steps; }

 private:
  void update(std::size_t i, double lr, double scale);

  std::vector<at::Tensor> parameters_;  // in the order of their names
  std::vector<bool> decays_;            // the same
  Tensors first_, second_;
  std::vector<at::Tensor> moments_[2];  // the same, in the order of parameters_
  AdamWOptions options_;
  std::int64_t steps_ = 0;
};

// Step `step` of `steps` (from 0): rises linearly over `warmup` steps, then falls to 0 as half a
// cosine.
double warmup_cosine(std::int64_t step, std::int64_t steps, std::int64_t warmup, double peak);

}  // namespace openworld

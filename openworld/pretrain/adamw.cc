#include "openworld/pretrain/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "openworld/vlm/device.h"

namespace openworld {

using at::Tensor;

AdamW::AdamW(const Tensors& parameters, const AdamWOptions& options,
             const std::set<std::string>& undecayed)
    : options_(options) {
  for (const auto& [name, parameter] : parameters) {
    assert(parameter.is_contiguous());
    parameters_.push_back(parameter);
    decays_.push_back(parameter.dim() >= 2 && !undecayed.contains(name));
    first_[name] = at::zeros_like(parameter.detach());
    second_[name] = at::zeros_like(parameter.detach());
    moments_[0].push_back(first_.at(name));
    moments_[1].push_back(second_.at(name));
  }
}

void AdamW::update(std::size_t i, double lr, double scale) {
  const Tensor& parameter = parameters_[i];
  const auto step = static_cast<double>(steps_);
  const double bias1 = 1 - std::pow(options_.beta1, step);
  const double bias2 = 1 - std::pow(options_.beta2, step);
  const auto b1 = static_cast<float>(options_.beta1), b2 = static_cast<float>(options_.beta2);
  const auto factor = static_cast<float>(lr / bias1);
  const auto root = static_cast<float>(1 / std::sqrt(bias2));
  const auto epsilon = static_cast<float>(options_.epsilon), clip = static_cast<float>(scale);
  const auto keep = static_cast<float>(decays_[i] ? 1 - lr * options_.weight_decay : 1);
  const Tensor gradient = parameter.grad().defined() ? parameter.grad().contiguous()
                                                     : at::zeros_like(parameter.detach());
  if (!uses_kernels(parameter.device())) {
    at::NoGradGuard no_grad;
    const Tensor d = gradient * clip;
    Tensor &first = moments_[0][i], &second = moments_[1][i];
    first.mul_(b1).add_(d, 1 - b1);
    second.mul_(b2).addcmul_(d, d, 1 - b2);
    parameter.detach().mul_(keep).addcdiv_(first, second.sqrt() * root + epsilon, -factor);
    return;
  }
  float* const p = parameter.data_ptr<float>();
  float* const m = moments_[0][i].data_ptr<float>();
  float* const v = moments_[1][i].data_ptr<float>();
  const float* const g = gradient.data_ptr<float>();
  const std::int64_t count = parameter.numel();
  for (std::int64_t k = 0; k < count; ++k) {
    const float d = g[k] * clip;
    m[k] = b1 * m[k] + (1 - b1) * d;
    v[k] = b2 * v[k] + (1 - b2) * d * d;
    p[k] = keep * p[k] - factor * m[k] / (std::sqrt(v[k]) * root + epsilon);
  }
}

double AdamW::step(double lr, const Runner& runner) {
  std::vector<double> squares(parameters_.size());
  runner(parameters_.size(), [&](std::size_t i) {
    if (!parameters_[i].grad().defined()) return;
    const Tensor gradient = parameters_[i].grad().contiguous();
    if (!uses_kernels(gradient.device())) {
      squares[i] = gradient.to(at::kDouble).square().sum().item<double>();
      return;
    }
    const float* const g = gradient.data_ptr<float>();
    for (std::int64_t k = 0; k < gradient.numel(); ++k) squares[i] += double{g[k]} * g[k];
  });
  // One after the other, so that the sum has one order.
  const double norm = std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
  if (std::isfinite(norm)) {
    ++steps_;
    const double scale = options_.clip > 0 && norm > options_.clip ? options_.clip / norm : 1;
    runner(parameters_.size(), [&](std::size_t i) { update(i, lr, scale); });
  }
  for (Tensor& parameter : parameters_) parameter.mutable_grad().reset();
  return norm;
}

double warmup_cosine(std::int64_t step, std::int64_t steps, std::int64_t warmup, double peak) {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const auto span = static_cast<double>(std::max<std::int64_t>(1, steps - warmup));
  const double done = std::min(1.0, static_cast<double>(step - warmup) / span);
  return peak * (1 + std::cos(std::numbers::pi * done)) / 2;
}

}  // namespace openworld

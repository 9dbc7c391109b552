#include "openworld/learners/common/optimizer.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>
#include <numbers>

namespace openworld {
namespace {

constexpr double kWarmupRate = 1e-5;

double half_cosine(double base, double at) {
  return base * (1 + std::cos(std::numbers::pi * at)) / 2;
}

}  // namespace

Optimizer::Optimizer(const NamedTensors& parameters, const OptimizerOptions& options)
    : parameters_(parameters), options_(options) {
  for (const auto& [name, tensor] : parameters_) {
    if (options_.kind == OptimizerKind::kAdam) {
      memory_["first." + name] = at::zeros_like(tensor.detach());
      memory_["second." + name] = at::zeros_like(tensor.detach());
    } else if (options_.momentum != 0) {
      memory_["velocity." + name] = at::zeros_like(tensor.detach());
    }
  }
}

void Optimizer::step(double common_lr, const std::map<std::string, double>& other_rates) {
  const at::NoGradGuard no_grad;
  ++steps_;
  for (auto& [name, tensor] : parameters_) {
    at::Tensor gradient = tensor.grad();
    if (!gradient.defined()) continue;
    const auto other = other_rates.find(name);
    const double lr = other == other_rates.end() ? common_lr : other->second;
    if (options_.weight_decay != 0) gradient = gradient + tensor * options_.weight_decay;
    if (options_.kind == OptimizerKind::kAdam) {
      at::Tensor first = memory_.at("first." + name), second = memory_.at("second." + name);
      const double beta1 = options_.beta1, beta2 = options_.beta2;
      first.mul_(beta1).add_(gradient, 1 - beta1);
      second.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
      const auto t = static_cast<double>(steps_);
      const double correction1 = 1 - std::pow(beta1, t), correction2 = 1 - std::pow(beta2, t);
      const at::Tensor scale = (second.sqrt() / std::sqrt(correction2)).add_(options_.epsilon);
      tensor.addcdiv_(first, scale, -lr / correction1);
    } else if (options_.momentum != 0) {
      at::Tensor velocity = memory_.at("velocity." + name);
      velocity.mul_(options_.momentum).add_(gradient);
      tensor.sub_(velocity, lr);
    } else {
      tensor.sub_(gradient, lr);
    }
    tensor.mutable_grad().reset();
  }
}

double scheduled_lr(Schedule schedule, double base, std::int64_t epoch, std::int64_t epochs,
                    std::int64_t step) {
  const auto share = [&](std::int64_t n) {
    return static_cast<double>(n) / static_cast<double>(epochs);
  };
  switch (schedule) {
    case Schedule::kConstant:
      break;
    case Schedule::kDassl:
      return epoch == 0 ? kWarmupRate : half_cosine(base, share(epoch - 1));
    case Schedule::kCosine:
      return half_cosine(base, share(epoch));
    case Schedule::kCosineStep:
      return half_cosine(base, share(step));
  }
  return base;
}

}  // namespace openworld

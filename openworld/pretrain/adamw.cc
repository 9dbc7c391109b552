#include "openworld/pretrain/adamw.h"

#include <ATen/Parallel.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace openworld {

using at::Tensor;

AdamW::AdamW(const Tensors& parameters, const AdamWOptions& options)
    : parameters_(parameters), options_(options) {
  for (const auto& [name, parameter] : parameters_) {
    assert(parameter.is_contiguous());
    first_[name] = at::zeros_like(parameter.detach());
    second_[name] = at::zeros_like(parameter.detach());
  }
}

double AdamW::step(double rate) {
  double square = 0;
  for (const auto& [name, parameter] : parameters_) {
    if (!parameter.grad().defined()) continue;
    // One after the other, so that the sum has one order.
    const Tensor gradient = parameter.grad().contiguous();
    const float* const g = gradient.data_ptr<float>();
    double sum = 0;
    for (std::int64_t i = 0; i < gradient.numel(); ++i) sum += double{g[i]} * g[i];
    square += sum;
  }
  const double norm = std::sqrt(square);
  if (std::isfinite(norm)) {
    ++steps_;
    const double scale = options_.clip > 0 && norm > options_.clip ? options_.clip / norm : 1;
    const auto step = static_cast<double>(steps_);
    const double bias1 = 1 - std::pow(options_.beta1, step);
    const double bias2 = 1 - std::pow(options_.beta2, step);
    const auto b1 = static_cast<float>(options_.beta1), b2 = static_cast<float>(options_.beta2);
    const auto factor = static_cast<float>(rate / bias1);
    const auto root = static_cast<float>(1 / std::sqrt(bias2));
    const auto epsilon = static_cast<float>(options_.epsilon), clip = static_cast<float>(scale);
    for (const auto& [name, parameter] : parameters_) {
      const Tensor gradient = parameter.grad().defined() ? parameter.grad().contiguous()
                                                         : at::zeros_like(parameter.detach());
      const auto keep =
          static_cast<float>(parameter.dim() < 2 ? 1 : 1 - rate * options_.weight_decay);
      float* const p = parameter.data_ptr<float>();
      float* const m = first_.at(name).data_ptr<float>();
      float* const v = second_.at(name).data_ptr<float>();
      const float* const g = gradient.data_ptr<float>();
      at::parallel_for(0, parameter.numel(), 1 << 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const float d = g[i] * clip;
          m[i] = b1 * m[i] + (1 - b1) * d;
          v[i] = b2 * v[i] + (1 - b2) * d * d;
          p[i] = keep * p[i] - factor * m[i] / (std::sqrt(v[i]) * root + epsilon);
        }
      });
    }
  }
  for (auto& [name, parameter] : parameters_) parameter.mutable_grad().reset();
  return norm;
}

double warmup_cosine(std::int64_t step, std::int64_t steps, std::int64_t warmup, double peak) {
  if (step < warmup) return peak * static_cast<double>(step + 1) / static_cast<double>(warmup);
  const auto span = static_cast<double>(std::max<std::int64_t>(1, steps - warmup));
  const double done = std::min(1.0, static_cast<double>(step - warmup) / span);
  return peak * (1 + std::cos(std::numbers::pi * done)) / 2;
}

}  // namespace openworld

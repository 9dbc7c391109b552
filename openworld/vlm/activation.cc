#include "openworld/vlm/activation.h"

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <torch/csrc/autograd/custom_function.h>

#include <bit>
#include <cstdint>

#include "openworld/base/simd.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr float kSlope = 1.702f;

// Per thread at least this many elements: about 20 microseconds of work.
constexpr std::int64_t kGrain = 32768;

// exp(x) for |x| <= 87, with at most 2 units in the last place of error: 2^k times a polynomial on
// [-ln 2 / 2, ln 2 / 2] (the Taylor series to x^7, whose remainder there is 5e-9).
[[gnu::always_inline]] inline float exp_near(float x) {
  const float k = __builtin_rintf(x * 1.44269504f);
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.0f / 5040;
  p = p * r + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

[[gnu::always_inline]] inline float sigmoid(float x) {
  const float z = x < -87.0f ? -87.0f : (x > 87.0f ? 87.0f : x);
  return 1 / (1 + exp_near(-z));
}

OPENWORLD_SIMD_FMA
void quick_gelu(const float* x, float* y, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] * sigmoid(kSlope * x[i]);
}

OPENWORLD_SIMD_FMA
void quick_gelu_backward(const float* x, const float* grad, float* out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float s = sigmoid(kSlope * x[i]);
    out[i] = grad[i] * (s + kSlope * x[i] * s * (1 - s));
  }
}

class QuickGelu : public torch::autograd::Function<QuickGelu> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input) {
    const Tensor x = input.contiguous();
    context->save_for_backward({x});
    Tensor y = at::empty_like(x);
    const float* const from = x.data_ptr<float>();
    float* const to = y.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      quick_gelu(from + begin, to + begin, end - begin);
    });
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const Tensor x = context->get_saved_variables()[0];
    const Tensor grad = grads[0].contiguous();
    Tensor out = at::empty_like(x);
    const float* const from = x.data_ptr<float>();
    const float* const slope = grad.data_ptr<float>();
    float* const to = out.data_ptr<float>();
    at::parallel_for(0, x.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
      quick_gelu_backward(from + begin, slope + begin, to + begin, end - begin);
    });
    return {out};
  }
};

}  // namespace

at::Tensor activate(const Tensor& x, Activation activation) {
  return activation == Activation::kGelu ? at::gelu(x) : QuickGelu::apply(x);
}

}  // namespace openworld

#include "openworld/vlm/activation.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/sigmoid.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "openworld/base/simd.h"
#include "openworld/vlm/device.h"

namespace openworld {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr float kSlope = 1.702f;

// Per thread at least this many elements: about 20 microseconds of work.
constexpr std::int64_t kGrain = 32768;

// Eight numbers as the compiler's own vectors: it does not vectorise the loop by itself.
using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
constexpr std::int64_t kLanes = 8;

[[gnu::always_inline]] inline Floats load(const float* from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

[[gnu::always_inline]] inline void store(const Floats& x, float* to) {
  std::memcpy(to, &x, sizeof x);
}

// exp(x) for |x| <= 87, with at most 2 units in the last place of error: 2^k times a polynomial on
// [-ln 2 / 2, ln 2 / 2] (the Taylor series to x^7, whose remainder there is 5e-9).
[[gnu::always_inline]] inline Floats exp_near(const Floats& x) {
  // Adding 1.5 * 2^23 rounds to a whole number k and leaves it in the low bits.
  const Floats shifted = x * 1.44269504f + 12582912.0f;
  const Floats k = shifted - 12582912.0f;
  const Floats r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  Floats p = r * (1.0f / 5040) + 1.0f / 720;
  p = p * r + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  // Casts between such vectors keep the bits; std::bit_cast would be a call.
  const Ints power = ((Ints)shifted << 23) + (127 << 23);
  return p * (Floats)power;
}

// NaN stays NaN.
[[gnu::always_inline]] inline Floats sigmoid(const Floats& x) {
  const Floats limit = Floats{} + 87.0f;
  const Floats bounded = x > limit ? limit : (x < -limit ? -limit : x);
  return 1.0f / (1.0f + exp_near(-bounded));
}

[[gnu::always_inline]] inline Floats quick_gelu(const Floats& x) {
  return x * sigmoid(kSlope * x);
}

[[gnu::always_inline]] inline Floats quick_gelu_slope(const Floats& x) {
  const Floats s = sigmoid(kSlope * x);
  return s + kSlope * x * s * (1.0f - s);
}

// The tails go through padded copies, so that an element's value does not depend on its place.
OPENWORLD_SIMD
void quick_gelu(const float* x, float* y, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(quick_gelu(load(x + i)), y + i);
  float in[kLanes] = {}, out[kLanes];
  std::copy(x + i, x + n, in);
  store(quick_gelu(load(in)), out);
  std::copy(out, out + (n - i), y + i);
}

OPENWORLD_SIMD
void quick_gelu_backward(const float* x, const float* grad, float* result, std::int64_t n) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(load(grad + i) * quick_gelu_slope(load(x + i)), result + i);
  }
  float in[kLanes] = {}, slope[kLanes] = {}, out[kLanes];
  std::copy(x + i, x + n, in);
  std::copy(grad + i, grad + n, slope);
  store(load(slope) * quick_gelu_slope(load(in)), out);
  std::copy(out, out + (n - i), result + i);
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
  if (activation == Activation::kGelu) return at::gelu(x);
  return uses_kernels(x.device()) ? QuickGelu::apply(x) : x * at::sigmoid(kSlope * x);
}

}  // namespace openworld

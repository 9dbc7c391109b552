#include "openworld/vlm/activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/sigmoid.h>

#include <cstdint>

#include "openworld/base/float_lanes.h"
#include "openworld/base/simd.h"
#include "openworld/vlm/device.h"
#include "openworld/vlm/elementwise.h"

namespace openworld {
namespace {

using at::Tensor;
using vector_math::exp_near;
using vector_math::Floats;

constexpr float kSlope = 1.702f;

// Per thread at least this many elements: about 20 microseconds of work.
constexpr std::int64_t kGrain = 32768;

// NaN stays NaN.
[[gnu::always_inline]] inline Floats sigmoid(const Floats& x) {
  const Floats limit = Floats{} + 87.0f;
  const Floats bounded = x > limit ? limit : (x < -limit ? -limit : x);
  return 1.0f / (1.0f + exp_near(-bounded));
}

struct QuickGelu {
  [[gnu::always_inline]] static inline Floats value(const Floats& x) {
    return x * sigmoid(kSlope * x);
  }

  [[gnu::always_inline]] static inline Floats slope(const Floats& x) {
    const Floats s = sigmoid(kSlope * x);
    return s + kSlope * x * s * (1.0f - s);
  }
};

OPENWORLD_SIMD
void quick_gelu(const float* x, std::int64_t n, float* y) {
  vector_math::map_values<QuickGelu>(x, n, y);
}

OPENWORLD_SIMD
void quick_gelu_backward(const float* x, const float* gradient, std::int64_t n, float* result) {
  vector_math::map_slopes<QuickGelu>(x, gradient, n, result);
}

using QuickGeluKernel = Elementwise<quick_gelu, quick_gelu_backward, kGrain>;

}  // namespace

at::Tensor activate(const Tensor& x, Activation activation) {
  if (activation == Activation::kGelu) return at::gelu(x);
  return uses_kernels(x.device()) ? QuickGeluKernel::apply(x) : x * at::sigmoid(kSlope * x);
}

}  // namespace openworld

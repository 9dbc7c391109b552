#pragma once

// The activations of both towers and their slopes, eight numbers at a time, for the kernels of this
// folder. Functions that use them are compiled for AVX2 (base/simd.h).
//
// GELU(x) = x Phi(x) with Phi by the rational approximation of Abramowitz and Stegun
// (1964), 7.1.26, whose error is below 1.5e-7: less than that of the float that Phi is stored in.
// Value and slope share its exponential. torch's GELU calls erf and exp apart.

#include "openworld/base/float_lanes.h"
#include "openworld/checkpoint/clip_config.h"

namespace openworld::vector_math {

[[gnu::always_inline]] inline Floats max(const Floats& a, const Floats& b) {
  return a > b ? a : b;
}

// exp(x) for x <= 0. Below -87, where floats end, exp(-87); NaN stays NaN.
[[gnu::always_inline]] inline Floats exp_of_negative(const Floats& x) {
  const Floats limit = Floats{} - 87.0f;
  return exp_near(x < limit ? limit : x);
}

struct Gelu {
  // Phi(x), and the density exp(-x^2 / 2) / sqrt(2 pi).
  struct Parts {
    Floats share, density;
  };

  [[gnu::always_inline]] static inline Parts parts(const Floats& x) {
    const Floats size = x < Floats{} ? -x : x;
    const Floats e = exp_of_negative(x * x * -0.5f);
    const Floats t = 1.0f / (1.0f + 0.23164190f * size);  // 0.3275911 / sqrt(2)
    Floats p = 0.5f * 1.061405429f * t - 0.5f * 1.453152027f;
    p = p * t + 0.5f * 1.421413741f;
    p = p * t - 0.5f * 0.284496736f;
    p = p * t + 0.5f * 0.254829592f;
    const Floats tail = p * t * e;  // Phi(-|x|)
    return {x < Floats{} ? tail : 1.0f - tail, e * 0.39894228f};
  }

  [[gnu::always_inline]] static inline Floats value(const Floats& x) { return x * parts(x).share; }

  [[gnu::always_inline]] static inline Floats slope(const Floats& x) {
    const Parts p = parts(x);
    return p.share + x * p.density;
  }
};

// x sigmoid(1.702 x).
struct QuickGelu {
  [[gnu::always_inline]] static inline Floats sigmoid(const Floats& x) {
    const Floats e = exp_of_negative(x < Floats{} ? x : -x);
    const Floats tail = e / (1.0f + e);  // sigmoid(-|x|)
    return x < Floats{} ? tail : 1.0f - tail;
  }

  [[gnu::always_inline]] static inline Floats value(const Floats& x) {
    return x * sigmoid(1.702f * x);
  }

  [[gnu::always_inline]] static inline Floats slope(const Floats& x) {
    const Floats s = sigmoid(1.702f * x);
    return s + 1.702f * x * s * (1.0f - s);
  }
};

}  // namespace openworld::vector_math

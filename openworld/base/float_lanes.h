#pragma once

// Eight floats at a time, as the compiler's own vectors: it does not vectorise loops with exp by
// itself. For functions that are compiled with OPENWORLD_SIMD (simd.h), into which these are
// inlined; vectors never cross a call.

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace openworld::vector_math {

using Floats = float __attribute__((vector_size(32)));
using Ints = std::int32_t __attribute__((vector_size(32)));
inline constexpr std::int64_t kLanes = 8;

[[gnu::always_inline]] inline Floats load(const float* from) {
  Floats x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

[[gnu::always_inline]] inline void store(const Floats& x, float* to) {
  std::memcpy(to, &x, sizeof x);
}

// exp(x) for |x| <= 87, with at most 2 units in the last place of error: 2^k times a polynomial on
// [-ln 2 / 2, ln 2 / 2] (the Taylor series to x^7, whose remainder there is 5e-9). NaN stays NaN.
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
  return p * (Floats)(((Ints)shifted << 23) + (127 << 23));
}

// y[i] = Op::value(x[i]). The tail goes through padded copies, so that an element's value does not
// depend on its place.
template <class Op>
[[gnu::always_inline]] inline void map_values(const float* x, std::int64_t n, float* y) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(Op::value(load(x + i)), y + i);
  float in[kLanes] = {}, out[kLanes];
  std::copy(x + i, x + n, in);
  store(Op::value(load(in)), out);
  std::copy(out, out + (n - i), y + i);
}

// result[i] = gradient[i] * Op::slope(x[i]), with the tail as above.
template <class Op>
[[gnu::always_inline]] inline void map_slopes(const float* x, const float* gradient, std::int64_t n,
                                              float* result) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(load(gradient + i) * Op::slope(load(x + i)), result + i);
  }
  float in[kLanes] = {}, factor[kLanes] = {}, out[kLanes];
  std::copy(x + i, x + n, in);
  std::copy(gradient + i, gradient + n, factor);
  store(load(factor) * Op::slope(load(in)), out);
  std::copy(out, out + (n - i), result + i);
}

}  // namespace openworld::vector_math

#include "openworld/io/half.h"

#include <cassert>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace openworld {
namespace {

std::uint16_t item(std::span<const std::byte> items, std::size_t i) {
  std::uint16_t bits;
  std::memcpy(&bits, items.data() + 2 * i, sizeof bits);
  return bits;
}

#if defined(__x86_64__)

// Clang 14 does not know "f16c" in __builtin_cpu_supports.
bool has_f16c() {
  static const bool kHas = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) != 0 && __builtin_cpu_supports("avx");
  }();
  return kHas;
}

// Both return how many they did, a multiple of 8.
__attribute__((target("avx,f16c"))) std::size_t widen_by_eights(std::span<const std::byte> from,
                                                                std::span<float> to) {
  const std::size_t n = to.size() / 8 * 8;
  for (std::size_t i = 0; i < n; i += 8) {
    const auto* eight = reinterpret_cast<const __m128i*>(from.data() + 2 * i);
    _mm256_storeu_ps(to.data() + i, _mm256_cvtph_ps(_mm_loadu_si128(eight)));
  }
  return n;
}

__attribute__((target("avx,f16c"))) std::size_t narrow_by_eights(std::span<const float> from,
                                                                 std::span<std::uint16_t> to) {
  const std::size_t n = to.size() / 8 * 8;
  for (std::size_t i = 0; i < n; i += 8) {
    const __m128i eight =
        _mm256_cvtps_ph(_mm256_loadu_ps(from.data() + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to.data() + i), eight);
  }
  return n;
}

#endif

}  // namespace

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) {
    return static_cast<std::uint16_t>(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  }
  // 65520 is half way between the largest half and the one that would follow; the tie is to even.
  if (magnitude >= std::bit_cast<std::uint32_t>(65520.0f)) return sign | 0x7c00u;
  if (magnitude < std::bit_cast<std::uint32_t>(0x1p-14f)) {
    // Subnormal: a float of 0.5 to 1 has the step 2^-24 of the subnormal halves, so that adding
    // 0.5 rounds as it should and leaves the half in the low bits.
    const float sum = std::bit_cast<float>(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(sum) - 0x3f000000u));
  }
  const std::uint32_t odd = magnitude >> 13 & 1;
  const std::uint32_t rounded = magnitude - ((127u - 15u) << 23) + 0xfffu + odd;
  return static_cast<std::uint16_t>(sign | rounded >> 13);
}

void widen_halves(std::span<const std::byte> from, std::span<float> to) {
  assert(from.size() == 2 * to.size());
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = widen_by_eights(from, to);
#endif
  for (; i < to.size(); ++i) to[i] = half_to_float(item(from, i));
}

void widen_bfloats(std::span<const std::byte> from, std::span<float> to) {
  assert(from.size() == 2 * to.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = std::bit_cast<float>(std::uint32_t{item(from, i)} << 16);
  }
}

void narrow_to_halves(std::span<const float> from, std::span<std::uint16_t> to) {
  assert(from.size() == to.size());
  std::size_t i = 0;
#if defined(__x86_64__)
  if (has_f16c()) i = narrow_by_eights(from, to);
#endif
  for (; i < to.size(); ++i) to[i] = float_to_half(from[i]);
}

}  // namespace openworld

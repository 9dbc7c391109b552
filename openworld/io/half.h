#pragma once

// Numbers of 16 bits: IEEE 754 half precision (fp16) and bfloat16 (bf16), and floats.
//
// Widening is exact. Narrowing rounds to nearest, ties to even, as the F16C instructions do, which
// are used where the processor has them; fp16 NaNs become quiet in both directions, as theirs do.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace openworld {

// The half's exponent and fraction are put where a float has them, which is off by 127 - 15 in the
// exponent, and one multiplication by 2^112 repairs normal and subnormal numbers alike.
inline float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t magnitude = std::uint32_t{half & 0x7fffu} << 13;
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const std::uint32_t special = magnitude | 0x7f800000u | ((half & 0x3ffu) != 0 ? 0x400000u : 0u);
  return std::bit_cast<float>(sign | ((half & 0x7c00u) == 0x7c00u ? special : finite));
}

std::uint16_t float_to_half(float value);

// `from` are 2-byte items at any alignment. REQUIRES: from.size() == 2 * to.size().
void widen_halves(std::span<const std::byte> from, std::span<float> to);
void widen_bfloats(std::span<const std::byte> from, std::span<float> to);

// REQUIRES: as many values as items.
void narrow_to_halves(std::span<const float> from, std::span<std::uint16_t> to);

}  // namespace openworld

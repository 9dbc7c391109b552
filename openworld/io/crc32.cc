#include "openworld/io/crc32.h"

#include <zlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace openworld {
namespace {

std::uint32_t crc32_by_table(std::uint32_t crc, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

#if defined(__x86_64__)

// Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel,
// 2009. The message is a polynomial over GF(2); a block of 128 bits that stands d bits before
// another may be replaced by block * x^d mod P added to that other. With the bits reflected, as
// zip has them, a 64-bit half is multiplied by x^(d +- 32) mod P.
struct Fold {
  long long low, high;
};
constexpr Fold kBy512 = {0x154442bd4, 0x1c6e41596};
constexpr Fold kBy128 = {0x1751997d0, 0x0ccaa009e};

__attribute__((target("pclmul,sse4.1"))) inline __m128i fold(__m128i block, __m128i onto,
                                                             __m128i by) {
  return _mm_xor_si128(onto, _mm_xor_si128(_mm_clmulepi64_si128(block, by, 0x00),
                                           _mm_clmulepi64_si128(block, by, 0x11)));
}

// REQUIRES: bytes.size() is a multiple of 64 and not 0.
__attribute__((target("pclmul,sse4.1"))) std::uint32_t crc32_by_folding(
    std::span<const std::byte> bytes) {
  const auto* at = reinterpret_cast<const __m128i*>(bytes.data());
  const auto* end = at + bytes.size() / 16;
  __m128i lanes[4];
  for (int k = 0; k < 4; ++k) lanes[k] = _mm_loadu_si128(at + k);
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(-1));
  const __m128i by_512 = _mm_set_epi64x(kBy512.high, kBy512.low);
  for (at += 4; at != end; at += 4) {
    for (int k = 0; k < 4; ++k) lanes[k] = fold(lanes[k], _mm_loadu_si128(at + k), by_512);
  }
  const __m128i by_128 = _mm_set_epi64x(kBy128.high, kBy128.low);
  __m128i last = lanes[0];
  for (int k = 1; k < 4; ++k) last = fold(last, lanes[k], by_128);
  // What remains is a message of 16 bytes with the same remainder, and the tables divide it. The
  // initial value is folded in already, so zlib starts from the complement of what it adds.
  alignas(16) std::byte rest[16];
  _mm_store_si128(reinterpret_cast<__m128i*>(rest), last);
  return crc32_by_table(0xffffffff, rest);
}

#endif

}  // namespace

std::uint32_t crc32(std::span<const std::byte> bytes) {
#if defined(__x86_64__)
  const std::size_t folded = bytes.size() / 64 * 64;
  if (folded > 0 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
    return crc32_by_table(crc32_by_folding(bytes.first(folded)), bytes.subspan(folded));
  }
#endif
  return crc32_by_table(0, bytes);
}

}  // namespace openworld

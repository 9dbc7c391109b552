#include "openworld/io/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace openworld {
namespace {

constexpr std::size_t kBlock = 64;

// Fractional parts of the cube roots of the first 64 primes.
alignas(16) constexpr std::uint32_t kRounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_endian(const std::byte* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return __builtin_bswap32(word);
}

#if defined(__x86_64__)

// GCC 12 does not know "sha" in __builtin_cpu_supports.
bool has_sha_ni() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1) != 0 &&
         __builtin_cpu_supports("sse4.1");
}

#endif

}  // namespace

void Sha256::compress_portably(State& state, const std::byte* blocks, std::size_t count) {
  for (; count > 0; --count, blocks += kBlock) {
    std::uint32_t w[64];
    for (int t = 0; t < 16; ++t) w[t] = big_endian(blocks + 4 * t);
    for (int t = 16; t < 64; ++t) {
      const std::uint32_t x = w[t - 15], y = w[t - 2];
      w[t] = w[t - 16] + (std::rotr(x, 7) ^ std::rotr(x, 18) ^ x >> 3) + w[t - 7] +
             (std::rotr(y, 17) ^ std::rotr(y, 19) ^ y >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = state;
    for (int t = 0; t < 64; ++t) {
      const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const std::uint32_t one = h + sum1 + ((e & f) ^ (~e & g)) + kRounds[t] + w[t];
      const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const std::uint32_t two = sum0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const State worked = {a, b, c, d, e, f, g, h};
    for (int k = 0; k < 8; ++k) state[k] += worked[k];
  }
}

#if defined(__x86_64__)

// The instructions keep the eight words as ABEF and CDGH, do two rounds at a time on the low half
// of words + constants, and extend four words of the schedule in two steps: msg1 adds sigma0, and
// msg2, once w[t-7] is added, sigma1.
__attribute__((target("sha,sse4.1"))) void Sha256::compress_with_sha_ni(State& state,
                                                                        const std::byte* blocks,
                                                                        std::size_t count) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  auto* words = reinterpret_cast<__m128i*>(state.data());
  const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128(words), 0xb1);
  const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128(words + 1), 0x1b);
  __m128i abef = _mm_alignr_epi8(badc, hgfe, 8);
  __m128i cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
  const auto* constants = reinterpret_cast<const __m128i*>(kRounds);
  for (; count > 0; --count, blocks += kBlock) {
    const __m128i abef_before = abef, cdgh_before = cdgh;
    __m128i w[4];
    for (int k = 0; k < 4; ++k) {
      w[k] = _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks) + k), swap);
    }
#pragma GCC unroll 16
    for (int t = 0; t < 16; ++t) {
      const __m128i sum = _mm_add_epi32(w[t % 4], _mm_load_si128(constants + t));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      if (t < 12) {
        const __m128i last = w[(t + 3) % 4];
        const __m128i seven_back = _mm_alignr_epi8(last, w[(t + 2) % 4], 4);
        const __m128i extended = _mm_sha256msg1_epu32(w[t % 4], w[(t + 1) % 4]);
        w[t % 4] = _mm_sha256msg2_epu32(_mm_add_epi32(extended, seven_back), last);
      }
    }
    abef = _mm_add_epi32(abef, abef_before);
    cdgh = _mm_add_epi32(cdgh, cdgh_before);
  }
  const __m128i feba = _mm_shuffle_epi32(abef, 0x1b);
  const __m128i dchg = _mm_shuffle_epi32(cdgh, 0xb1);
  _mm_storeu_si128(words, _mm_blend_epi16(feba, dchg, 0xf0));
  _mm_storeu_si128(words + 1, _mm_alignr_epi8(dchg, feba, 8));
}

#endif

Sha256::Sha256(Sha256Kernel kernel)
    // Fractional parts of the square roots of the first 8 primes.
    : compress_(compress_portably), state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                           0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {
#if defined(__x86_64__)
  static const bool kHasShaNi = has_sha_ni();
  if (kernel == Sha256Kernel::kBest && kHasShaNi) compress_ = compress_with_sha_ni;
#else
  static_cast<void>(kernel);
#endif
}

void Sha256::update(std::span<const std::byte> bytes) {
  size_ += bytes.size();
  if (used_ > 0) {
    const std::size_t taken = std::min(bytes.size(), kBlock - used_);
    std::copy_n(bytes.begin(), taken, block_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += taken;
    bytes = bytes.subspan(taken);
    if (used_ < kBlock) return;
    compress_(state_, block_.data(), 1);
    used_ = 0;
  }
  compress_(state_, bytes.data(), bytes.size() / kBlock);
  bytes = bytes.subspan(bytes.size() / kBlock * kBlock);
  std::copy(bytes.begin(), bytes.end(), block_.begin());
  used_ = bytes.size();
}

Sha256Digest Sha256::finish() {
  const std::uint64_t bits = __builtin_bswap64(size_ * 8);
  // A one bit, zeros up to 8 bytes before the end of a block, and there the length.
  std::array<std::byte, kBlock + 8> padding{std::byte{0x80}};
  const std::size_t zeros = (2 * kBlock - 8 - 1 - used_) % kBlock;
  std::memcpy(padding.data() + 1 + zeros, &bits, sizeof bits);
  update(std::span(padding).first(1 + zeros + sizeof bits));
  Sha256Digest digest;
  for (std::size_t k = 0; k < 8; ++k) {
    const std::uint32_t word = __builtin_bswap32(state_[k]);
    std::memcpy(digest.data() + 4 * k, &word, sizeof word);
  }
  return digest;
}

Sha256Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string hex_text(const Sha256Digest& digest) {
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

}  // namespace openworld

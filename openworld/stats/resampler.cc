#include "openworld/stats/resampler.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <utility>

#include "openworld/base/random.h"
#include "openworld/base/simd.h"

namespace openworld {
namespace {

constexpr std::size_t kLanes = 8;
using Lanes __attribute__((vector_size(kLanes * sizeof(std::uint32_t)))) = std::uint32_t;
using Masks __attribute__((vector_size(kLanes * sizeof(std::int32_t)))) = std::int32_t;

// Eight xoshiro128++ generators side by side (Blackman and Vigna, 2021).
struct Generators {
  Lanes state[4];
};

// A Poisson count exceeds k exactly when a uniform 32-bit word reaches Reach[k] = 2^32 P(count <=
// k).
using Reach = std::array<std::uint32_t, Resampler::kMost>;

Reach reach_of(double rate) {
  Reach reach;
  double term = std::exp(-rate), cdf = 0;
  for (int k = 0; k < Resampler::kMost; ++k) {
    cdf += term;
    term *= rate / (k + 1);
    reach[k] = static_cast<std::uint32_t>(std::min(cdf * 4294967296.0, 4294967295.0));
  }
  return reach;
}

// Vector comparisons are signed before AVX-512, so words are compared with the top bit flipped.
constexpr std::uint32_t kTop = 0x80000000u;

// How many of the first `most` bounds each word reaches.
inline __attribute__((always_inline)) void count_reached(const Lanes& word, const Reach& reach,
                                                         int most, Masks& count) {
  count = Masks{};
  for (int k = 0; k < most; ++k) {
    count -= (Masks)word > static_cast<std::int32_t>(reach[k] ^ kTop) - 1;
  }
}

OPENWORLD_SIMD void fill_poisson(Generators& generators, const Reach& reach, std::uint8_t* weights,
                                 std::size_t n) {
  // Four words of eight lanes at a time. Only one count in 12,000 exceeds six, so the larger bounds
  // are looked at when one of the 32 does.
  constexpr std::size_t kWords = 4;
  constexpr int kUsual = 7;
  Lanes s0 = generators.state[0], s1 = generators.state[1];
  Lanes s2 = generators.state[2], s3 = generators.state[3];
  for (std::size_t begin = 0; begin < n; begin += kWords * kLanes) {
    Lanes word[kWords];
    Masks count[kWords];
    Masks rare{};
    for (std::size_t w = 0; w < kWords; ++w) {
      const Lanes sum = s0 + s3;
      word[w] = (((sum << 7) | (sum >> 25)) + s0) ^ kTop;
      const Lanes shifted = s1 << 9;
      s2 ^= s0;
      s3 ^= s1;
      s1 ^= s2;
      s0 ^= s3;
      s2 ^= shifted;
      s3 = (s3 << 11) | (s3 >> 21);
      count_reached(word[w], reach, kUsual, count[w]);
      rare |= count[w] >= kUsual;
    }
    std::uint64_t any[4];
    std::memcpy(any, &rare, sizeof any);
    if (any[0] | any[1] | any[2] | any[3]) {
      for (std::size_t w = 0; w < kWords; ++w)
        count_reached(word[w], reach, Resampler::kMost, count[w]);
    }
    // Which of the 32 positions gets which count does not matter, so they are packed as they lie.
    const Masks bytes = count[0] | count[1] << 8 | count[2] << 16 | count[3] << 24;
    std::memcpy(weights + begin, &bytes, std::min(sizeof bytes, n - begin));
  }
}

// Sums of the weights by stratum, in bytes that cannot overflow: 16 weights of at most 12 a lane.
OPENWORLD_SIMD void sum_strata(const std::uint8_t* strata, const std::uint8_t* weights,
                               std::size_t n, std::int64_t* sums) {
  constexpr std::size_t kWide = 32;
  using Wide __attribute__((vector_size(kWide))) = std::uint8_t;
  for (int stratum = 0; stratum < Resampler::kStrata; ++stratum) {
    std::int64_t total = 0;
    std::size_t i = 0;
    while (i + kWide <= n) {
      Wide sum{};
      for (int k = 0; k < 16 && i + kWide <= n; ++k, i += kWide) {
        Wide which, weight;
        std::memcpy(&which, strata + i, kWide);
        std::memcpy(&weight, weights + i, kWide);
        sum += weight & (Wide)(which == static_cast<std::uint8_t>(stratum));
      }
      for (std::size_t lane = 0; lane < kWide; ++lane) total += sum[lane];
    }
    for (; i < n; ++i) total += strata[i] == stratum ? weights[i] : 0;
    sums[stratum] = total;
  }
}

}  // namespace

Resampler::Resampler(std::vector<std::uint8_t> strata, std::uint64_t seed)
    : strata_(std::move(strata)), seed_(seed) {
  for (std::size_t i = 0; i < strata_.size(); ++i) {
    assert(strata_[i] < kStrata);
    positions_[strata_[i]].push_back(static_cast<std::uint32_t>(i));
  }
  std::size_t largest = 1;
  for (const auto& positions : positions_) largest = std::max(largest, positions.size());
  reach_ = reach_of(std::max(0.0, 1 - 3 / std::sqrt(static_cast<double>(largest))));
}

void Resampler::draw(std::uint64_t index, std::span<std::uint8_t> weights) const {
  assert(weights.size() == size());
  Random random(seed_, index);
  Generators generators;
  for (Lanes& word : generators.state) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      word[lane] = static_cast<std::uint32_t>(random.next() >> 32);
    }
  }
  fill_poisson(generators, reach_, weights.data(), weights.size());
  std::int64_t sums[kStrata];
  sum_strata(strata_.data(), weights.data(), weights.size(), sums);
  for (int stratum = 0; stratum < kStrata; ++stratum) {
    const auto& positions = positions_[stratum];
    auto excess = sums[stratum] - static_cast<std::int64_t>(positions.size());
    for (; excess < 0; ++excess) ++weights[positions[random.below(positions.size())]];
    while (excess > 0) {
      // A draw is chosen uniformly: a position, kept in proportion to its count, which is at most
      // kMost.
      std::uint8_t& weight = weights[positions[random.below(positions.size())]];
      if (random.below(kMost) >= weight) continue;
      --weight;
      --excess;
    }
  }
}

}  // namespace openworld

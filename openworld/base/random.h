#pragma once

// Random numbers that are the same on every machine, for every thread count and standard library.
//
// A stream is named by integers (seed, resample, ...), not by the thread that draws from it, so
// threads can take work in any order. Xoshiro256++ (Blackman and Vigna, 2021) seeded by SplitMix64.

#include <array>
#include <cstdint>
#include <span>

namespace openworld {

// The SplitMix64 finaliser: a bijection of 64-bit words whose outputs look independent.
std::uint64_t mix64(std::uint64_t x);

class Random {
 public:
  // The stream named by `seed` and `stream`; different names give independent streams.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();

  // Uniform on [0, n), without modulo bias (Lemire, 2019). REQUIRES: n > 0.
  std::uint64_t below(std::uint64_t n);

  // Uniform on [0, 1), 53 bits.
  double uniform();

  // Standard normal, by the polar method.
  double normal();

 private:
  std::array<std::uint64_t, 4> state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

// Fisher-Yates; every order equally likely.
void shuffle(std::span<std::uint32_t> items, Random& random);

}  // namespace openworld

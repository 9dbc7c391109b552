#pragma once

// The random numbers of CPython's `random.Random(seed)`, bit for bit.
//
// Which images a few-shot learner sees is drawn by Python code in every published baseline, and 16
// images a class move an accuracy by more than most methods differ; so the same seed must pick the
// same images here. Everything else uses random.h.
//
// MT19937 (Matsumoto and Nishimura, 1998), seeded by init_by_array with the 32-bit limbs of the
// seed; `sample` and `choices` as in CPython 3.8 to 3.13.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace openworld {

class PythonRandom {
 public:
  explicit PythonRandom(std::uint64_t seed);

  std::uint32_t next32();

  // The k upper bits of the next word; 0 draws nothing. REQUIRES: 0 <= k <= 32.
  std::uint32_t getrandbits(int k);

  // Uniform on [0, n), by rejection. REQUIRES: 0 < n < 2^32.
  std::uint32_t randbelow(std::size_t n);

  // Uniform on [0, 1), 53 bits.
  double random();

  // `sample(range(n), k)`: k different indices below n. REQUIRES: k <= n < 2^32.
  std::vector<std::size_t> sample(std::size_t n, std::size_t k);

  // `choices(range(n), k=k)`: k indices below n, with repeats. REQUIRES: n > 0 or k == 0.
  std::vector<std::size_t> choices(std::size_t n, std::size_t k);

 private:
  void refill();

  std::array<std::uint32_t, 624> state_;
  std::size_t next_ = 624;
};

}  // namespace openworld

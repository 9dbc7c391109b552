#pragma once

// The random numbers of NumPy's `numpy.random.RandomState(seed)`, bit for bit.
//
// Published open-set results draw their query sets and their negative words with it, so the same
// seed must draw the same classes here. Everything else uses random.h.
//
// MT19937 (Matsumoto and Nishimura, 1998) seeded by init_genrand, which is std::mt19937 by the
// standard; integers by masked rejection, as the legacy generator has drawn them since NumPy 1.11
// and, by NumPy's compatibility policy (NEP 19), always will.

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace openworld {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint32_t seed) : words_(seed) {}

  // Uniform on [0, largest]: `randint(0, largest + 1)`.
  std::uint32_t up_to(std::uint32_t largest);

  // `permutation(n)`. REQUIRES: n < 2^32.
  std::vector<std::uint32_t> permutation(std::size_t n);

  // `choice(n, size, replace=False)`: the first of a permutation. REQUIRES: size <= n < 2^32.
  std::vector<std::uint32_t> choice(std::size_t n, std::size_t size);

 private:
  std::mt19937 words_;
};

}  // namespace openworld

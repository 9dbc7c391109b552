#include "openworld/base/numpy_random.h"

#include <bit>
#include <cassert>
#include <numeric>
#include <utility>

namespace openworld {

std::uint32_t NumpyRandom::up_to(std::uint32_t largest) {
  if (largest == 0) return 0;  // draws nothing
  const std::uint32_t mask = ~std::uint32_t{0} >> std::countl_zero(largest);
  for (;;) {
    const auto drawn = static_cast<std::uint32_t>(words_()) & mask;
    if (drawn <= largest) return drawn;
  }
}

std::vector<std::uint32_t> NumpyRandom::permutation(std::size_t n) {
  assert(n >> 32 == 0);
  std::vector<std::uint32_t> items(n);
  std::iota(items.begin(), items.end(), 0U);
  for (std::size_t i = n; i-- > 1;) {
    std::swap(items[i], items[up_to(static_cast<std::uint32_t>(i))]);
  }
  return items;
}

std::vector<std::uint32_t> NumpyRandom::choice(std::size_t n, std::size_t size) {
  assert(size <= n);
  std::vector<std::uint32_t> items = permutation(n);
  items.resize(size);
  return items;
}

}  // namespace openworld

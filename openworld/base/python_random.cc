#include "openworld/base/python_random.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <unordered_set>

namespace openworld {
namespace {

constexpr std::size_t kWords = 624;

// A step of seeding: word i, mixed with the word before.
std::uint32_t mixed(const std::array<std::uint32_t, kWords>& state, std::size_t i,
                    std::uint32_t factor) {
  return state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * factor);
}

// Above this many items CPython remembers what it drew instead of copying the items:
// 21 + 4^ceil(log4(3 k)) for k > 5. 3 k is not a power of four, so integers find the same exponent.
std::size_t largest_pool(std::size_t k) {
  std::size_t table = 0;
  if (k > 5) {
    for (table = 1; table < 3 * k;) table *= 4;
  }
  return 21 + table;
}

}  // namespace

PythonRandom::PythonRandom(std::uint64_t seed) {
  const std::array<std::uint32_t, 2> key = {static_cast<std::uint32_t>(seed),
                                            static_cast<std::uint32_t>(seed >> 32)};
  const std::size_t limbs = key[1] != 0 ? 2 : 1;
  state_[0] = 19650218;
  for (std::uint32_t i = 1; i < kWords; ++i) {
    state_[i] = 1812433253 * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  }
  std::size_t i = 1;
  const auto advance = [&] {
    if (++i == kWords) {
      state_[0] = state_[kWords - 1];
      i = 1;
    }
  };
  for (std::size_t step = 0, j = 0; step < kWords; ++step, j = (j + 1) % limbs) {
    state_[i] = mixed(state_, i, 1664525) + key[j] + static_cast<std::uint32_t>(j);
    advance();
  }
  for (std::size_t step = 1; step < kWords; ++step) {
    state_[i] = mixed(state_, i, 1566083941) - static_cast<std::uint32_t>(i);
    advance();
  }
  state_[0] = 0x80000000;
}

void PythonRandom::refill() {
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint32_t bits = (state_[i] & 0x80000000) | (state_[(i + 1) % kWords] & 0x7fffffff);
    state_[i] = state_[(i + 397) % kWords] ^ (bits >> 1) ^ (bits & 1 ? 0x9908b0df : 0);
  }
  next_ = 0;
}

std::uint32_t PythonRandom::next32() {
  if (next_ == kWords) refill();
  std::uint32_t word = state_[next_++];
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680;
  word ^= (word << 15) & 0xefc60000;
  return word ^ (word >> 18);
}

std::uint32_t PythonRandom::getrandbits(int k) {
  assert(k >= 0 && k <= 32);
  return k == 0 ? 0 : next32() >> (32 - k);
}

std::uint32_t PythonRandom::randbelow(std::size_t n) {
  assert(n > 0 && n >> 32 == 0);
  const int bits = std::bit_width(n);
  for (;;) {
    const std::uint32_t drawn = getrandbits(bits);
    if (drawn < n) return drawn;
  }
}

double PythonRandom::random() {
  const std::uint32_t high = next32() >> 5;
  const std::uint32_t low = next32() >> 6;
  return (high * 67108864.0 + low) * 0x1p-53;
}

std::vector<std::size_t> PythonRandom::sample(std::size_t n, std::size_t k) {
  assert(k <= n);
  std::vector<std::size_t> drawn(k);
  if (n <= largest_pool(k)) {
    std::vector<std::size_t> pool(n);
    std::iota(pool.begin(), pool.end(), std::size_t{0});
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t j = randbelow(n - i);
      drawn[i] = pool[j];
      pool[j] = pool[n - i - 1];
    }
    return drawn;
  }
  std::unordered_set<std::size_t> seen;
  for (std::size_t& index : drawn) {
    do {
      index = randbelow(n);
    } while (!seen.insert(index).second);
  }
  return drawn;
}

std::vector<std::size_t> PythonRandom::choices(std::size_t n, std::size_t k) {
  assert(n > 0 || k == 0);
  std::vector<std::size_t> drawn(k);
  for (std::size_t& index : drawn) {
    index = static_cast<std::size_t>(random() * static_cast<double>(n));
  }
  return drawn;
}

}  // namespace openworld

#include "openworld/base/entropy.h"

#include <gtest/gtest.h>

#include <set>

namespace openworld {
namespace {

// Fails by chance once in 2^44 runs.
TEST(Entropy, EveryBitVariesAndNoDrawComesTwice) {
  std::uint64_t ones = 0, zeros = 0;
  std::set<std::uint64_t> drawn;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = random_bits();
    ones |= bits;
    zeros |= ~bits;
    drawn.insert(bits);
  }
  EXPECT_EQ(ones, ~std::uint64_t{0});
  EXPECT_EQ(zeros, ~std::uint64_t{0});
  EXPECT_EQ(drawn.size(), 1000u);
}

TEST(Entropy, NamesAreSixteenHexadecimalDigits) {
  for (int i = 0; i < 100; ++i) {
    const std::string name = random_name();
    EXPECT_EQ(name.size(), 16u);
    EXPECT_EQ(name.find_first_not_of("0123456789abcdef"), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace openworld

// Against CPython 3.11.7; every expected value was printed by its `random` module.

#include "openworld/base/python_random.h"

#include <gtest/gtest.h>

#include <set>

namespace openworld {
namespace {

using Indices = std::vector<std::size_t>;

TEST(PythonRandom, SeedsAsInitByArray) {
  const struct {
    std::uint64_t seed;
    std::uint32_t words[3];
  } cases[] = {{0, {3626764237, 1654615998, 3255389356}},
               {1, {577090037, 2444712010, 3639700191}},
               {12345, {1789368711, 3146859322, 43676229}},
               {4294967295u, {2728839433, 2661025012, 872737089}},
               {4294967296u, {485306839, 1508871100, 1794561286}},
               {4294967303u, {968553300, 3287823873, 1540179448}},
               {9223372036854775819u, {1560446067, 2675119618, 3966640065}},
               {18446744073709551615u, {93740670, 1068495656, 1452108352}}};
  for (const auto& [seed, words] : cases) {
    PythonRandom random(seed);
    for (const std::uint32_t word : words) EXPECT_EQ(random.next32(), word) << seed;
  }
}

// `[r.getrandbits(32) for _ in range(2000)][-1]`: past three refills.
TEST(PythonRandom, GoesOnAfterItsState) {
  PythonRandom random(1);
  for (int i = 0; i < 1999; ++i) random.next32();
  EXPECT_EQ(random.next32(), 1058062369u);
}

TEST(PythonRandom, TakesUpperBits) {
  PythonRandom random(1);
  EXPECT_EQ(random.getrandbits(1), 0u);
  EXPECT_EQ(random.getrandbits(5), 18u);
  EXPECT_EQ(random.getrandbits(16), 55537u);
  EXPECT_EQ(random.getrandbits(31), 1722851096u);
  EXPECT_EQ(random.getrandbits(32), 3280387012u);
  EXPECT_EQ(random.getrandbits(0), 0u);
  EXPECT_EQ(random.getrandbits(7), 8u);
}

TEST(PythonRandom, DrawsBelow) {
  const struct {
    std::size_t n;
    std::uint32_t drawn;
  } cases[] = {{1, 0},  {2, 0},      {3, 1},         {10, 0},
               {16, 2}, {1000, 840}, {65536, 12337}, {4000000000, 1570621944}};
  PythonRandom random(7);
  for (const auto& [n, drawn] : cases) EXPECT_EQ(random.randbelow(n), drawn) << n;
}

TEST(PythonRandom, DrawsDoubles) {
  PythonRandom random(1);
  EXPECT_EQ(random.random(), 0x1.132d8f91b7584p-3);
  EXPECT_EQ(random.random(), 0x1.b1e2d5b3584f8p-1);
  EXPECT_EQ(random.random(), 0x1.870d778409f13p-1);
  EXPECT_EQ(random.random(), 0x1.0530d08f17f5cp-2);
}

// On both sides of 21, 85 and 277, where CPython changes its method; with these seeds the two
// methods draw different items.
TEST(PythonRandom, Samples) {
  const struct {
    std::uint64_t seed;
    std::size_t n;
    Indices drawn;
  } cases[] = {
      {1, 60, {8, 36, 54, 51, 48, 4, 16, 7, 31, 55, 28, 30, 41, 24, 13, 6}},
      {1, 1300, {275, 1165, 129, 522, 241, 1014, 920, 967, 777, 429, 192, 999, 58, 798, 886, 1244}},
      {2, 21, {1, 2, 19, 11, 5}},
      {2, 22, {1, 2, 11, 5, 21}},
      {5, 85, {79, 32, 45, 67, 3, 59}},
      {2, 86, {7, 11, 10, 46, 21, 85}},
      {1, 85, {17, 72, 8, 32, 15, 63, 57, 60, 48, 26, 12, 62, 3, 49, 55, 0}},
      {1, 86, {17, 72, 8, 32, 15, 63, 57, 60, 83, 48, 26, 12, 62, 3, 49, 55}},
      {2, 277, {28,  46,  43,  184, 86,  157, 128, 108, 18,  81,  220,
                201, 260, 190, 227, 257, 137, 268, 14,  186, 238, 163}},
      {2, 278, {28,  46,  43,  184, 86,  157, 128, 108, 18,  81,  220,
                201, 260, 190, 227, 257, 137, 14,  186, 238, 163, 194}},
      {3, 5, {1, 4, 3, 2, 0}},
      {3, 1, {0}},
      {2, 3, {}},
      {1099511627781, 100, {64, 66, 34, 84, 3, 67, 97, 5}}};
  for (const auto& [seed, n, drawn] : cases) {
    EXPECT_EQ(PythonRandom(seed).sample(n, drawn.size()), drawn) << seed << " " << n;
  }
}

TEST(PythonRandom, Chooses) {
  EXPECT_EQ(PythonRandom(1).choices(3, 16),
            (Indices{0, 2, 2, 0, 1, 1, 1, 2, 0, 0, 2, 1, 2, 0, 1, 2}));
  EXPECT_EQ(PythonRandom(2).choices(7, 5), (Indices{6, 6, 0, 0, 5}));
  EXPECT_EQ(PythonRandom(18446744073709551615u).choices(1, 4), (Indices{0, 0, 0, 0}));
  EXPECT_TRUE(PythonRandom(1).choices(0, 0).empty());
}

TEST(PythonRandom, IsOneStream) {
  PythonRandom random(5);
  EXPECT_EQ(random.sample(10, 4), (Indices{9, 4, 5, 6}));
  EXPECT_EQ(random.sample(50, 4), (Indices{44, 47, 41, 33}));
  EXPECT_EQ(random.sample(4, 4), (Indices{0, 1, 3, 2}));
  EXPECT_EQ(random.choices(3, 4), (Indices{2, 0, 1, 0}));
  EXPECT_EQ(random.next32(), 2335435112u);
}

// No two alike, by either method.
TEST(PythonRandom, SamplesWithoutRepeats) {
  PythonRandom random(11);
  for (std::size_t n = 1; n < 400; n += 7) {
    for (std::size_t k = 0; k <= n; k += 5) {
      const Indices drawn = random.sample(n, k);
      const std::set<std::size_t> distinct(drawn.begin(), drawn.end());
      ASSERT_EQ(distinct.size(), k) << n;
      ASSERT_TRUE(k == 0 || *distinct.rbegin() < n) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace openworld

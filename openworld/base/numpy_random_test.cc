#include "openworld/base/numpy_random.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

using List = std::vector<std::uint32_t>;

// Golden values: NumPy 1.24.2, numpy.random.RandomState.
TEST(NumpyRandom, PermutesLikeNumpy) {
  EXPECT_EQ(NumpyRandom(7).permutation(12), (List{7, 10, 2, 5, 0, 1, 11, 8, 3, 6, 9, 4}));
  EXPECT_EQ(NumpyRandom(4294967295).permutation(7), (List{1, 5, 0, 6, 4, 2, 3}));
  EXPECT_EQ(NumpyRandom(0).choice(10, 5), (List{2, 8, 4, 9, 1}));
  EXPECT_TRUE(NumpyRandom(0).permutation(0).empty());
  EXPECT_EQ(NumpyRandom(0).permutation(1), (List{0}));
}

TEST(NumpyRandom, DrawsIntegersLikeNumpy) {
  // r = RandomState(7); r.permutation(12); r.randint(0, 1000, 5); r.randint(0, 1)
  NumpyRandom random(7);
  random.permutation(12);
  List drawn;
  for (int i = 0; i < 5; ++i) drawn.push_back(random.up_to(999));
  EXPECT_EQ(drawn, (List{730, 904, 167, 998, 68}));
  EXPECT_EQ(random.up_to(0), 0u);
}

}  // namespace
}  // namespace openworld

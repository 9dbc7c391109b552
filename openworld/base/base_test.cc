#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/base/threads.h"

namespace openworld {
namespace {

TEST(Error, NamesTheFunction) {
  try {
    fail("auroc", "score[3] is NaN; scores must be finite");
    FAIL() << "fail() returned";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[auroc] score[3] is NaN; scores must be finite");
  }
}

// First outputs of SplitMix64 from state 0, as published with the algorithm (Vigna, splitmix64.c).
TEST(Random, Mix64MatchesTheReference) {
  EXPECT_EQ(mix64(0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix64(0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
}

TEST(Random, StreamsAreReproducibleAndDistinct) {
  Random a(1, 2), b(1, 2), c(1, 3), d(2, 2);
  const auto first = a.next();
  EXPECT_EQ(first, b.next());
  EXPECT_NE(first, c.next());
  EXPECT_NE(first, d.next());
}

TEST(Random, BelowIsUniform) {
  Random random(7);
  std::vector<int> counts(10);
  const int draws = 100000;
  for (int i = 0; i < draws; ++i) ++counts[random.below(10)];
  double chi2 = 0;
  for (const int c : counts) chi2 += (c - draws / 10.0) * (c - draws / 10.0) / (draws / 10.0);
  EXPECT_LT(chi2, 27.9);  // 0.999 quantile of chi-squared with 9 degrees of freedom
}

TEST(Random, NormalHasTheMomentsOfANormal) {
  Random random(7);
  const int draws = 200000;
  double sum = 0, sum2 = 0, sum4 = 0;
  for (int i = 0; i < draws; ++i) {
    const double x = random.normal();
    sum += x;
    sum2 += x * x;
    sum4 += x * x * x * x;
  }
  EXPECT_NEAR(sum / draws, 0, 0.01);
  EXPECT_NEAR(sum2 / draws, 1, 0.015);
  EXPECT_NEAR(sum4 / draws, 3, 0.15);
}

TEST(Random, ShuffleIsAPermutation) {
  std::vector<std::uint32_t> items(100), sorted(100);
  std::iota(items.begin(), items.end(), 0);
  std::iota(sorted.begin(), sorted.end(), 0);
  Random random(3);
  shuffle(items, random);
  EXPECT_NE(items, sorted);
  std::sort(items.begin(), items.end());
  EXPECT_EQ(items, sorted);
}

TEST(ParallelFor, VisitsEveryItemOnce) {
  for (const int threads : {0, 1, 2, 7}) {
    for (const std::size_t n : {0, 1, 3, 1000}) {
      std::vector<int> visits(n);
      parallel_for(n, threads, [&](std::size_t i) { ++visits[i]; });
      EXPECT_EQ(visits, std::vector<int>(n, 1));
    }
  }
}

TEST(ParallelFor, RethrowsTheError) {
  EXPECT_THROW(parallel_for(100, 2,
                            [](std::size_t i) {
                              if (i == 50) fail("f", "bad");
                            }),
               Error);
}

}  // namespace
}  // namespace openworld

#include "openworld/report/ranked_codes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace openworld {
namespace {

struct Sample {
  double score;
  int side;
  bool right;
};

struct Arrays {
  std::vector<std::int8_t> side;
  std::vector<double> score;
  std::vector<std::uint8_t> correct;

  explicit Arrays(const std::vector<Sample>& samples) {
    for (const Sample& sample : samples) {
      side.push_back(static_cast<std::int8_t>(sample.side));
      score.push_back(sample.score);
      correct.push_back(sample.right);
    }
  }
  Outcomes outcomes() const {
    Outcomes result;
    result.side = side;
    result.score = BaseScores::larger_is_base(std::span<const double>(score));
    result.correct = correct;
    return result;
  }
};

TEST(RankedCodes, AreInOrderOfFallingScores) {
  const Arrays arrays(
      {{0.2, 1, true}, {0.9, 0, true}, {0.5, 0, false}, {0.5, 1, false}, {0.1, -1, false}});
  const RankedCodes found = rank_codes(arrays.outcomes(), 100);
  EXPECT_EQ(found.samples, 5u);
  // Base right, base wrong; new wrong tied with it, new right; unknown.
  EXPECT_EQ(found.codes, (std::vector<std::uint8_t>{0x10, 0x2b, 0x04}));
  EXPECT_EQ(found.bits, 4);
  EXPECT_EQ(found.values, (std::vector<float>{0.9f, 0.5f, 0.5f, 0.2f, 0.1f}));
  EXPECT_EQ(found.rank, (std::vector<std::uint32_t>{3, 0, 1, 1, 4}));
}

TEST(RankedCodes, AreHalfAsLongWithoutTiesAndUnknownSamples) {
  const RankedCodes found = rank_codes(
      Arrays({{0.2, 1, true}, {0.9, 0, true}, {0.5, 0, false}, {0.4, 1, false}, {0.1, 1, false}})
          .outcomes(),
      100);
  EXPECT_EQ(found.bits, 2);
  // Base right, base wrong, new wrong, new right; new wrong.
  EXPECT_EQ(found.codes, (std::vector<std::uint8_t>{0b10'11'01'00, 0b11}));
  EXPECT_EQ(rank_codes(Arrays({{0.2, 1, true}, {0.2, 0, true}}).outcomes(), 2).bits, 4);
  EXPECT_EQ(rank_codes(Arrays({{0.2, -1, true}, {0.3, 0, true}}).outcomes(), 2).bits, 4);
}

// Of every threshold, by the definitions.
TEST(RankedCodes, BestIsTheLargestDifferenceOfHitAndMiss) {
  std::vector<Sample> samples;
  for (int i = 0; i < 200; ++i) {
    const int side = i % 2;
    samples.push_back({(i * 37 % 101) / 10.0 + (side == 0 ? 3 : 0), side, i % 3 != 0});
  }
  const Arrays arrays(samples);
  double most = -2;
  std::size_t best = 0;
  std::vector<double> thresholds = {1e9};
  for (const Sample& sample : samples) thresholds.push_back(sample.score - 1e-9);
  std::ranges::sort(thresholds, std::greater<>());
  for (const double t : thresholds) {
    int hit = 0, miss = 0;
    for (const Sample& s : samples) {
      hit += s.side == 1 && s.score <= t && s.right;
      miss += s.side == 0 && (s.score <= t || !s.right);
    }
    const double gained = hit / 100.0 - miss / 100.0;
    if (gained > most + 1e-12) {
      most = gained;
      best = count_above(arrays.outcomes(), t);
    }
  }
  EXPECT_EQ(rank_codes(arrays.outcomes(), 2).best, best);
}

TEST(RankedCodes, StoresSomeScoresOfMany) {
  std::vector<Sample> samples;
  for (int i = 0; i <= 1000; ++i) samples.push_back({static_cast<double>(i), 0, true});
  const RankedCodes found = rank_codes(Arrays(samples).outcomes(), 11);
  ASSERT_EQ(found.values.size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_EQ(found.values[i], 1000 - 100 * i);
}

TEST(RankedCodes, KeepsScoresThatNoFloatHoldsFinite) {
  const RankedCodes found = rank_codes(Arrays({{1e308, 0, true}, {-1e308, 1, true}}).outcomes(), 9);
  EXPECT_EQ(found.values[0], std::numeric_limits<float>::max());
  EXPECT_EQ(found.values[1], -std::numeric_limits<float>::max());
}

}  // namespace
}  // namespace openworld

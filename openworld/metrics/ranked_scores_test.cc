#include "openworld/metrics/ranked_scores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

// Scores that take each path of the packing: narrow and wide floats; doubles of both
// signs, of either, of many magnitudes, and with zeros.
std::vector<double> scores_of(int path, std::size_t n, Random& random) {
  std::vector<double> scores(n);
  for (double& r : scores) {
    if (path == 0) r = static_cast<float>(20 + 15 * random.uniform());
    if (path == 1) r = static_cast<float>(random.normal() * 1e3);
    if (path == 2) r = random.normal();
    if (path == 3) r = 20 + 15 * random.uniform();
    if (path == 4) r = -20 - 15 * random.uniform();
    if (path == 5) r = std::pow(random.normal(), 41);  // too many powers of two for 60 bits
    if (path == 6) r = random.below(4) == 0 ? 0.0 : random.normal();
  }
  return scores;
}

TEST(RankedScores, OrdersEveryPathAndKeepsTheRows) {
  Random random(1);
  for (const int path : {0, 1, 2, 3, 4, 5, 6}) {
    for (const auto keep : {RankedScores::Keep::kCodes, RankedScores::Keep::kOrder}) {
      TestSet set = random_set({.base = 300, .new_side = 200, .unknown = 100}, 4);
      set.score = scores_of(path, set.size(), random);
      for (std::size_t i = 0; i < 100; ++i) set.score[i] = set.score[i + 250];
      const RankedScores ranked(set.outcomes(), keep);
      std::vector<double> sorted = set.score;
      std::sort(sorted.begin(), sorted.end());
      std::int64_t tied = 0;
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        EXPECT_EQ(ranked.score(i), sorted[i]);
        const bool last = i + 1 == sorted.size() || sorted[i + 1] != sorted[i];
        EXPECT_EQ(bool(ranked.codes()[i] & kLastOfTie), last);
        tied += !last || (i > 0 && sorted[i - 1] == sorted[i]);
      }
      EXPECT_EQ(ranked.tied(), tied);
      EXPECT_EQ(ranked.totals().base(), 300);
      EXPECT_EQ(ranked.totals().new_samples(), 200);
      EXPECT_EQ(ranked.totals().unknown(), 100);
      if (keep == RankedScores::Keep::kCodes) continue;
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        const std::uint32_t row = ranked.order()[i];
        EXPECT_EQ(set.score[row], sorted[i]);
        const int kind = set.side[row] < 0 ? 4 : 2 * set.side[row] + set.correct[row];
        EXPECT_EQ(ranked.codes()[i] & kKindMask, kind);
        EXPECT_EQ(bool(ranked.codes()[i] & kOverallRight), bool(set.overall_correct[row]));
      }
    }
  }
}

TEST(RankedScores, FloatAndDoubleArraysOfTheSameValuesAgree) {
  const TestSet set = random_set({.base = 50, .new_side = 50, .distinct = 20}, 6);
  const std::vector<float> narrow(set.score.begin(), set.score.end());
  Outcomes o = set.outcomes();
  const RankedScores wide(o);
  o.score = BaseScores::larger_is_base(std::span<const float>(narrow));
  const RankedScores same(o);
  EXPECT_TRUE(std::equal(wide.codes().begin(), wide.codes().end(), same.codes().begin()));
}

// Doubles that round to the same float keep their order.
TEST(RankedScores, NeverNarrowsADouble) {
  TestSet set;
  set.add(Side::kBase, std::nextafter(25.0, 26.0), true);
  set.add(Side::kNew, 25.0, true);
  const RankedScores ranked(set.outcomes());
  EXPECT_EQ(ranked.tied(), 0);
  EXPECT_EQ(ranked.codes()[0] & kKindMask, kNewRight);
}

TEST(RankedScores, NegativeZeroTiesWithZero) {
  for (const double tiny : {0.0, 1e-300}) {  // the second forces the double path
    TestSet set;
    set.add(Side::kBase, 0.0, true);
    set.add(Side::kNew, -0.0, true);
    set.add(Side::kNew, 5.0 + tiny, true);
    set.add(Side::kNew, std::numeric_limits<double>::denorm_min() * (tiny > 0), true);
    const RankedScores ranked(set.outcomes());
    EXPECT_GE(ranked.tied(), 2);
    EXPECT_FALSE(std::signbit(ranked.score(0)));
  }
}

TEST(RankedScores, BaseComesFirstWithinATie) {
  const TestSet set = random_set({.base = 50, .new_side = 50, .unknown = 50, .distinct = 2}, 6);
  const RankedScores ranked(set.outcomes(), RankedScores::Keep::kOrder);
  for (std::size_t i = 0; i + 1 < ranked.size(); ++i) {
    if (ranked.codes()[i] & kLastOfTie) continue;
    EXPECT_LE(ranked.codes()[i] & kKindMask, ranked.codes()[i + 1] & kKindMask);
  }
}

}  // namespace
}  // namespace openworld

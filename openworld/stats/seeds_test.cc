#include "openworld/stats/seeds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

struct Golden {
  std::vector<double> values;
  double level, mean, sd, se, low, high;
};

TEST(Seeds, MatchScipy) {
  // numpy 1.24 mean and std(ddof=1); scipy 1.10 stats.sem(v) and
  // stats.t.interval(level, n - 1, mean, sem).
  const std::vector<Golden> goldens = {{{0.7131, 0.7412, 0.6925},
                                        0.95,
                                        0.7155999999999999,
                                        0.024446063077722745,
                                        0.0141139410985498,
                                        0.6548726128025176,
                                        0.7763273871974822},
                                       {{0.5, 0.7},
                                        0.9,
                                        0.6,
                                        0.14142135623730948,
                                        0.09999999999999998,
                                        -0.031375151480093844,
                                        1.2313751514800932},
                                       {{0.61, 0.62, 0.6, 0.63, 0.59, 0.64, 0.61, 0.6},
                                        0.99,
                                        0.6125,
                                        0.01669045920792562,
                                        0.005900968443520829,
                                        0.5918496594937065,
                                        0.6331503405062936}};
  for (const Golden& golden : goldens) {
    const SeedSummary s = summarize_seeds(golden.values, golden.level);
    EXPECT_EQ(s.seeds, golden.values.size());
    EXPECT_EQ(s.level, golden.level);
    EXPECT_NEAR(s.mean, golden.mean, 1e-15);
    EXPECT_NEAR(s.sd.value(), golden.sd, 1e-15);
    EXPECT_NEAR(s.standard_error.value(), golden.se, 1e-15);
    EXPECT_NEAR(s.interval.value().low, golden.low, 1e-9);
    EXPECT_NEAR(s.interval.value().high, golden.high, 1e-9);
    EXPECT_TRUE(s.undefined.empty());
  }
}

TEST(Seeds, OneSeedHasNoIntervalAndSaysWhy) {
  const SeedSummary s = summarize_seeds(std::vector{0.7});
  EXPECT_EQ(s.mean, 0.7);
  EXPECT_FALSE(s.sd || s.standard_error || s.interval);
  EXPECT_EQ(s.undefined, "one seed has no spread; an interval needs at least two");
}

TEST(Seeds, EqualValuesHaveNoSpread) {
  const SeedSummary s = summarize_seeds(std::vector(3, 0.1));
  EXPECT_EQ(s.mean, 0.1);
  EXPECT_EQ(s.sd, 0);
  EXPECT_EQ(s.interval->low, 0.1);
  EXPECT_EQ(s.interval->high, 0.1);
}

TEST(Seeds, ShiftAndScaleCarryOver) {
  Random random(1);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> x(2 + random.below(8)), y;
    for (double& v : x) v = random.normal();
    for (const double v : x) y.push_back(3 - 2 * v);
    const SeedSummary a = summarize_seeds(x, 0.9), b = summarize_seeds(y, 0.9);
    EXPECT_NEAR(b.mean, 3 - 2 * a.mean, 1e-13);
    EXPECT_NEAR(*b.sd, 2 * *a.sd, 1e-13);
    EXPECT_NEAR(b.interval->low, 3 - 2 * a.interval->high, 1e-12);
  }
}

// The header's promise, and the habit it warns of: at three seeds the t interval covers 95 % of the
// time; mean +- 1.96 sd(ddof=0)/sqrt(n) about 75 %.
TEST(Seeds, TheIntervalCoversAsOftenAsItSays) {
  Random random(2);
  const int rounds = 20000;
  int covered = 0, habit = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::vector<double> x = {random.normal(), random.normal(), random.normal()};
    const SeedSummary s = summarize_seeds(x);
    covered += s.interval->low <= 0 && 0 <= s.interval->high;
    habit += std::abs(s.mean) <= 1.96 * *s.sd * std::sqrt(2.0 / 3) / std::sqrt(3.0);
  }
  EXPECT_NEAR(covered / static_cast<double>(rounds), 0.95, 3 * std::sqrt(0.95 * 0.05 / rounds));
  EXPECT_LT(habit / static_cast<double>(rounds), 0.77);
}

TEST(Seeds, RefuseNothingNanAndBadLevels) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(summarize_seeds({}), Error);
  EXPECT_THROW(summarize_seeds(std::vector{0.5, kNan}), Error);
  EXPECT_THROW(summarize_seeds(std::vector{0.5, 0.6}, 0), Error);
  EXPECT_THROW(summarize_seeds(std::vector{0.5, 0.6}, 1), Error);
  EXPECT_THROW(summarize_seeds(std::vector{0.5, 0.6}, kNan), Error);
}

}  // namespace
}  // namespace openworld

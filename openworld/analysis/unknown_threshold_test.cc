#include "openworld/analysis/unknown_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/metrics/test_util.h"

namespace openworld {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Samples with their fits.
struct Fitted {
  TestSet set{};
  std::vector<double> fit{};

  void add(Side side, double r, double value) {
    set.add(side, r, true);
    fit.push_back(value);
  }
  UnknownThreshold guarantee(const UnknownLimit& limit, double t = kInfinity,
                             std::int64_t next = 0) const {
    return guarantee_unknown(set.outcomes(), fit, t, limit, next);
  }
};

// Fits of listed samples on a grid of `levels` values (0: continuous), base and new ones unlike.
Fitted draw(Random& random, int base, int fresh, int levels) {
  Fitted drawn;
  for (int i = 0; i < base + fresh; ++i) {
    const bool is_new = i >= base;
    const double u = is_new ? std::sqrt(1 - random.uniform()) : 1 - random.uniform();
    const double fit = levels == 0 ? u : std::ceil(levels * u) / levels;
    drawn.add(is_new ? Side::kNew : Side::kBase, random.uniform(), fit);
  }
  return drawn;
}

// P(fit <= u) of base and new samples in these shares.
double unfit_rate(double u, double base_share, int levels) {
  const double x = std::clamp(levels == 0 ? u : std::floor(levels * u) / levels, 0.0, 1.0);
  return base_share * x + (1 - base_share) * x * x;
}

// At most delta of all data sets give a threshold that calls more than beta unknown, although the
// numbers of base and new samples are fixed and their fits are distributed unlike.
TEST(UnknownThreshold, HoldsInSimulation) {
  const UnknownLimit limit{.max_unknown = 0.1, .confidence = 0.9};
  constexpr int kRepetitions = 6000;
  Random random(5, 1);
  for (const int levels : {0, 7}) {
    int broken = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      const auto result = draw(random, 60, 40, levels).guarantee(limit);
      ASSERT_TRUE(result.granted());
      broken += unfit_rate(result.threshold, 0.6, levels) > limit.max_unknown;
    }
    const double slack = 3 * std::sqrt(0.1 * 0.9 / kRepetitions);
    EXPECT_LE(broken, (0.1 + slack) * kRepetitions) << levels;
    if (levels == 0) {
      EXPECT_GE(broken, 0.03 * kRepetitions);  // it is not too careful
    }
  }
}

// People who check the promise on held-out samples: that about the population is about a rate that
// they do not see, that about a batch is about what they count.
TEST(UnknownThreshold, BothPromisesHoldOnAHeldOutHalf) {
  const UnknownLimit limit{.max_unknown = 0.1, .confidence = 0.9};
  constexpr int kRepetitions = 6000, kHalf = 150;
  Random random(6, 1);
  int above_limit = 0, above_promise = 0, broken = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    const auto result = draw(random, kHalf, 0, 0).guarantee(limit, kInfinity, kHalf);
    const Fitted held_out = draw(random, kHalf, 0, 0);
    const auto unfit =
        std::ranges::count_if(held_out.fit, [&](double fit) { return fit <= result.threshold; });
    above_limit += static_cast<double>(unfit) > limit.max_unknown * kHalf;
    above_promise += unfit > result.next->most;
    broken += unfit_rate(result.threshold, 1, 0) > limit.max_unknown;
  }
  const double slack = 3 * std::sqrt(0.1 * 0.9 / kRepetitions);
  EXPECT_LE(broken, (0.1 + slack) * kRepetitions);
  EXPECT_LE(above_promise, (0.1 + slack) * kRepetitions);
  EXPECT_GE(above_promise, 0.05 * kRepetitions);  // a smaller number would not do
  // The rate of a half exceeds the limit more often than its population's does.
  EXPECT_GT(above_limit, 1.4 * broken);
}

TEST(UnknownThreshold, CountsWhatIsCalled) {
  Random random(3, 1);
  Fitted samples = draw(random, 80, 50, 9);
  for (int i = 0; i < 30; ++i)
    samples.add(Side::kUnknown, random.uniform(), 0.5 * random.uniform());
  const double t = 0.6;
  const auto result = samples.guarantee({.max_unknown = 0.2, .confidence = 0.9}, t, 500);
  ASSERT_TRUE(result.granted());
  std::int64_t unfit = 0, next = 0, kept_out = 0, base_called_new = 0;
  for (std::size_t i = 0; i < samples.fit.size(); ++i) {
    const bool low = samples.fit[i] <= result.threshold;
    const bool passed_on = samples.set.score[i] <= t;
    if (samples.set.side[i] >= 0) {
      unfit += low;
      next += samples.fit[i] <= result.threshold + 1e-6;
      base_called_new += samples.set.side[i] == 0 && passed_on && !low;
    } else {
      kept_out += passed_on && low;
    }
  }
  EXPECT_EQ(result.unfit.count, unfit);
  EXPECT_EQ(result.unfit.total, 130);
  EXPECT_LE(unfit, result.allowed);
  EXPECT_GT(next, result.allowed);  // a hair higher would be one too many
  ASSERT_TRUE(result.kept_out);
  EXPECT_EQ(result.kept_out->count, kept_out);
  EXPECT_EQ(result.kept_out->total, 30);
  EXPECT_EQ(result.of_base.new_side, base_called_new);
  EXPECT_EQ(result.of_base.base + result.of_base.new_side + result.of_base.unknown, 80);
  EXPECT_EQ(result.of_unknown.unknown, kept_out);
  // No more are called unknown than no name fits.
  EXPECT_LE(result.of_base.unknown + result.of_new.unknown, unfit);
  ASSERT_TRUE(result.next);
  EXPECT_EQ(result.next->samples, 500);
  EXPECT_GE(result.next->most, 500 * result.allowed / 130);
}

TEST(UnknownThreshold, TheScoreDecidesFirst) {
  EXPECT_EQ(answer_of(0.7, 0.1, 0.6, 0.5), Side::kBase);
  EXPECT_EQ(answer_of(0.6, 0.5, 0.6, 0.5), Side::kUnknown);
  EXPECT_EQ(answer_of(0.6, 0.6, 0.6, 0.5), Side::kNew);
}

TEST(UnknownThreshold, SaysHowManySamplesItTakes) {
  Fitted few;
  for (int i = 0; i < 58; ++i) few.add(i % 2 == 0 ? Side::kBase : Side::kNew, 0, i);
  const auto refused = few.guarantee({.max_unknown = 0.05, .confidence = 0.95});
  EXPECT_FALSE(refused.granted());
  EXPECT_EQ(refused.samples_needed, 59);
  EXPECT_NE(refused.refusal.find("58 listed samples"), std::string::npos) << refused.refusal;
  few.add(Side::kNew, 0, -7);
  const auto granted = few.guarantee({.max_unknown = 0.05, .confidence = 0.95});
  EXPECT_TRUE(granted.granted());
  EXPECT_LT(granted.threshold, -7);
  EXPECT_EQ(granted.unfit.count, 0);
  EXPECT_FALSE(granted.kept_out);
}

TEST(UnknownThreshold, RefusesWhatIsWrong) {
  Fitted samples;
  samples.add(Side::kUnknown, 0, 1);
  EXPECT_THROW(samples.guarantee({}), Error);  // nothing is listed
  samples.add(Side::kBase, 0, std::nan(""));
  EXPECT_THROW(samples.guarantee({}), Error);
  samples.fit[1] = 1;
  EXPECT_THROW(samples.guarantee({.max_unknown = 0}), Error);
  EXPECT_THROW(samples.guarantee({.max_unknown = 0.5, .confidence = 1}), Error);
  samples.fit.pop_back();
  EXPECT_THROW(samples.guarantee({}), Error);
}

}  // namespace
}  // namespace openworld

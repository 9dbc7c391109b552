#include "openworld/analysis/binomial_threshold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

using Counts = std::vector<std::int64_t>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// P(Bin(n, p) <= k) by its terms.
double binomial_sum(std::int64_t k, std::int64_t n, double p) {
  double sum = 0, choose = 1;
  for (std::int64_t i = 0; i <= k; ++i) {
    sum +=
        choose * std::pow(p, static_cast<double>(i)) * std::pow(1 - p, static_cast<double>(n - i));
    choose = choose * static_cast<double>(n - i) / static_cast<double>(i + 1);
  }
  return sum;
}

// Fixed-sequence testing as it is defined: walk up, stop at the first failure.
std::optional<std::size_t> walk(std::int64_t n, const Counts& misses, const MissLimit& limit) {
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < misses.size(); ++i) {
    if (binomial_sum(misses[i], n, limit.max_miss) > (1 - limit.confidence) * (1 + 1e-11)) break;
    last = i;
  }
  return last;
}

TEST(BinomialThreshold, MatchesTheWalkForSmallSamples) {
  Random random(1);
  for (std::int64_t n = 1; n <= 40; ++n) {
    for (const double alpha : {0.05, 0.1, 0.25, 0.5, 0.9}) {
      for (const double confidence : {0.5, 0.75, 0.9, 0.99}) {
        const MissLimit limit{alpha, confidence};
        Counts misses(1 + random.below(12));
        for (auto& k : misses) {
          k = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(n) + 1));
        }
        std::sort(misses.begin(), misses.end());
        const ThresholdChoice choice = choose_threshold(n, misses, limit);
        EXPECT_EQ(choice.index, walk(n, misses, limit)) << n << " " << alpha << " " << confidence;
        EXPECT_EQ(choice.index.has_value(), choice.refusal.empty());
        EXPECT_NEAR(choice.p_value, binomial_sum(misses[choice.index.value_or(0)], n, alpha),
                    1e-12);
        Counts all(static_cast<std::size_t>(n) + 1);
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<std::int64_t>(k);
        const auto last = walk(n, all, limit);
        EXPECT_EQ(allowed_misses(n, limit).has_value(), last.has_value());
        if (last) {
          EXPECT_EQ(allowed_misses(n, limit), static_cast<std::int64_t>(*last));
        }
      }
    }
  }
}

TEST(BinomialThreshold, MinimumSamplesIsTheFirstThatAllowsZeroMisses) {
  EXPECT_EQ(minimum_samples({0.05, 0.95}), 59);   // 0.95^59 = 0.0485, 0.95^58 = 0.0510
  EXPECT_EQ(minimum_samples({0.01, 0.95}), 299);  // the rule of three: 3/alpha
  EXPECT_EQ(minimum_samples({0.5, 0.75}), 2);     // 0.5^2 = 0.25, equality passes
  EXPECT_EQ(minimum_samples({0.9, 0.5}), 1);
  for (const double alpha : {1e-9, 1e-4, 0.03, 0.2, 0.6}) {
    for (const double confidence : {0.1, 0.9, 0.999, 1 - 1e-12}) {
      const MissLimit limit{alpha, confidence};
      const std::int64_t n = minimum_samples(limit);
      EXPECT_EQ(allowed_misses(n, limit).has_value(), true);
      if (n > 1) {
        EXPECT_FALSE(allowed_misses(n - 1, limit).has_value());
      }
    }
  }
}

TEST(BinomialThreshold, SamplesNeededIsTheSmallestThatPasses) {
  for (const double alpha : {0.05, 0.2, 0.5}) {
    for (const double confidence : {0.5, 0.8, 0.95}) {
      const MissLimit limit{alpha, confidence};
      for (std::int64_t n = 1; n <= 25; ++n) {
        for (std::int64_t k = 0; k <= n; ++k) {
          const auto needed = samples_needed(k, n, limit);
          if (static_cast<double>(k) >= alpha * static_cast<double>(n)) {
            EXPECT_FALSE(needed.has_value());
            continue;
          }
          std::int64_t smallest = 1;
          while (binomial_cdf((smallest * k + n - 1) / n, smallest, alpha) >
                 (1 - confidence) * (1 + 1e-11)) {
            ++smallest;
          }
          EXPECT_EQ(needed, smallest) << k << " of " << n << " " << alpha << " " << confidence;
        }
      }
    }
  }
}

TEST(BinomialThreshold, SamplesNeededGivesUpBeyond1e9) {
  EXPECT_FALSE(samples_needed(499'999, 10'000'000, {0.05, 0.95}).has_value());
  EXPECT_TRUE(samples_needed(499'000, 10'000'000, {0.05, 0.95}).has_value());
}

// Ranks of n + m values: how many of the m are below the (k+1)-th smallest of the n.
TEST(BinomialThreshold, ThePromiseForABatchIsThatOfRanks) {
  Random random(9);
  for (const auto& [n, k, m, confidence] :
       {std::tuple<int, int, int, double>{1, 0, 1, 0.4}, {10, 2, 15, 0.9}, {59, 0, 200, 0.95}}) {
    constexpr int kRepetitions = 40000;
    const BatchPromise promise = promise_next(n, k, m, confidence);
    EXPECT_EQ(promise.samples, m);
    int at_most = 0, below = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      std::vector<double> chosen;
      for (int j = 0; j < n; ++j) chosen.push_back(random.uniform());
      std::sort(chosen.begin(), chosen.end());
      int missed = 0;
      for (int j = 0; j < m; ++j) missed += random.uniform() < chosen[static_cast<std::size_t>(k)];
      at_most += missed <= promise.most;
      below += missed <= promise.most - 1;
    }
    const double slack = 3 * std::sqrt(0.25 / kRepetitions);
    EXPECT_GE(at_most, (confidence - slack) * kRepetitions) << n << " " << k << " " << m;
    EXPECT_LT(below, (confidence + slack) * kRepetitions) << n << " " << k << " " << m;
  }
  EXPECT_EQ(promise_next(1, 0, 1, 0.5).most, 0);  // either of two is the smaller: exactly a half
  EXPECT_THROW(promise_next(0, 0, 5, 0.9), Error);
  EXPECT_THROW(promise_next(5, 5, 5, 0.9), Error);
  EXPECT_THROW(promise_next(5, -1, 5, 0.9), Error);
  EXPECT_THROW(promise_next(5, 0, 0, 0.9), Error);
  EXPECT_THROW(promise_next(5, 0, 10'000'001, 0.9), Error);
  EXPECT_THROW(promise_next(5, 0, 5, 1), Error);
}

TEST(BinomialThreshold, AskingMoreAllowsLess) {
  for (std::int64_t n = 1; n < 3000; n = n * 3 / 2 + 1) {
    std::int64_t before = -1;
    for (const double alpha : {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.8}) {
      const std::int64_t k = allowed_misses(n, {alpha, 0.9}).value_or(-1);
      EXPECT_GE(k, before);
      EXPECT_LE(allowed_misses(n, {alpha, 0.99}).value_or(-1), k);
      EXPECT_LE(k, allowed_misses(n + 1, {alpha, 0.9}).value_or(-1));
      EXPECT_LT(static_cast<double>(k), alpha * static_cast<double>(n) + 1);
      before = k;
    }
  }
}

// Continuous scores, no wrong samples, a candidate just below each score: the guarantee is exact,
// and the failure rate is P(Bin(n, alpha) <= k*) = 0.0576 for n = 100, alpha = delta = 0.1, k* = 5.
TEST(BinomialThreshold, ContinuousScoresFailExactlyAsOftenAsTheory) {
  const MissLimit limit{0.1, 0.9};
  const std::int64_t n = 100;
  Counts misses(n);
  for (std::int64_t k = 0; k < n; ++k) misses[k] = k;
  const ThresholdChoice choice = choose_threshold(n, misses, limit);
  ASSERT_EQ(choice.index, 5u);
  const double theory = binomial_cdf(5, n, 0.1);
  EXPECT_NEAR(theory, 0.0576, 5e-5);
  Random random(2);
  const int rounds = 20000;
  int failures = 0, naive_failures = 0;
  std::vector<double> s(n);
  for (int round = 0; round < rounds; ++round) {
    for (double& x : s) x = random.uniform();
    std::sort(s.begin(), s.end());
    failures += s[5] > 0.1;         // P(s < s_(6)), the limit of the miss rate from below
    naive_failures += s[10] > 0.1;  // what "10 % of the samples are missed" would do
  }
  const double sd = std::sqrt(theory * (1 - theory) / rounds);
  EXPECT_NEAR(failures / static_cast<double>(rounds), theory, 4 * sd);
  EXPECT_GT(naive_failures / static_cast<double>(rounds), 0.5);
}

// Ties, atoms, wrong samples, and candidates that are the observed scores themselves: the failure
// rate stays below delta. Scores take 0..levels-1, right with probability 1 - wrong; so the miss
// rate at t is wrong + (1 - wrong)(t + 1)/levels.
TEST(BinomialThreshold, TheGuaranteeHoldsWithTiesAndWrongSamples) {
  struct Setting {
    int n, levels;
    double wrong, alpha, delta;
  };
  Random random(3);
  const int rounds = 20000;
  for (const Setting& x : {Setting{40, 20, 0, 0.2, 0.1}, Setting{60, 30, 0.05, 0.2, 0.2},
                           Setting{30, 10, 0.02, 0.3, 0.05}, Setting{50, 1000, 0.1, 0.25, 0.1},
                           Setting{80, 10, 0.1, 0.1, 0.1}}) {
    const auto miss_rate = [&](double t) {
      return x.wrong + (1 - x.wrong) * std::max(0.0, t + 1) / x.levels;
    };
    int failures = 0, chosen = 0;
    std::vector<double> s(static_cast<std::size_t>(x.n));
    for (int round = 0; round < rounds; ++round) {
      for (double& score : s) {
        const auto r = static_cast<double>(random.below(static_cast<std::uint64_t>(x.levels)));
        score = random.uniform() < x.wrong ? -kInfinity : r;
      }
      std::sort(s.begin(), s.end());
      // Thresholds below every score, then each observed value; misses are those at most t.
      std::vector<double> candidates = {-1};
      Counts misses = {std::count(s.begin(), s.end(), -kInfinity)};
      for (std::size_t i = 0; i < s.size(); ++i) {
        if (s[i] == -kInfinity || (i + 1 < s.size() && s[i + 1] == s[i])) continue;
        candidates.push_back(s[i]);
        misses.push_back(static_cast<std::int64_t>(i) + 1);
      }
      const ThresholdChoice choice = choose_threshold(x.n, misses, {x.alpha, 1 - x.delta});
      if (!choice.index) continue;
      ++chosen;
      failures += miss_rate(candidates[*choice.index]) > x.alpha + 1e-12;
    }
    const double bound = x.delta + 3 * std::sqrt(x.delta * (1 - x.delta) / rounds);
    EXPECT_LE(failures / static_cast<double>(rounds), bound) << x.n << " " << x.levels;
    EXPECT_GT(chosen, 0);
  }
}

// The theorem is about every t at once, so even one that looks for the worst admissible t fails no
// more often: with k* misses allowed it can always reach the miss rate just below s_(k*+1).
TEST(BinomialThreshold, TheGuaranteeHoldsForTheWorstAdmissibleThreshold) {
  const std::int64_t n = 50;
  const double alpha = 0.2, delta = 0.15;
  const std::int64_t k = allowed_misses(n, {alpha, 1 - delta}).value();
  Random random(4);
  const int rounds = 20000;
  int failures = 0;
  std::vector<double> s(n);
  for (int round = 0; round < rounds; ++round) {
    for (double& x : s) x = random.uniform() < 0.03 ? -1 : random.uniform();
    std::sort(s.begin(), s.end());
    const double t = s[static_cast<std::size_t>(k)];
    failures += t > 0 && 0.03 + 0.97 * t > alpha;
  }
  const double theory = binomial_cdf(k, n, alpha);
  EXPECT_LE(theory, delta);
  EXPECT_NEAR(failures / static_cast<double>(rounds), theory, 4 * std::sqrt(theory / rounds));
}

TEST(BinomialThreshold, RefusalsSayWhyAndHowManySamples) {
  const MissLimit limit{0.05, 0.95};
  const ThresholdChoice few = choose_threshold(30, Counts{0, 1}, limit);
  EXPECT_FALSE(few.index.has_value());
  EXPECT_EQ(few.samples_needed, 59);
  EXPECT_EQ(few.refusal,
            "the lowest candidate misses 0 of 30 samples; to show a miss rate of at most 0.05 with "
            "confidence 0.95 it takes 59 at this rate");
  const ThresholdChoice close = choose_threshold(100, Counts{2, 5}, limit);
  EXPECT_FALSE(close.index.has_value());
  EXPECT_EQ(close.allowed_misses, 1);
  EXPECT_EQ(close.samples_needed, 181);
  EXPECT_EQ(close.refusal,
            "the lowest candidate misses 2 of 100 samples; to show a miss rate of at most 0.05 "
            "with confidence 0.95 at most 1 may be missed, or it takes 181 at this rate");
  const ThresholdChoice hopeless = choose_threshold(1000, Counts{50, 60}, limit);
  EXPECT_FALSE(hopeless.index || hopeless.samples_needed);
  EXPECT_EQ(hopeless.refusal,
            "the lowest candidate misses 50 of 1000 samples; to show a miss rate of at most 0.05 "
            "with confidence 0.95 the rate itself must be lower, more samples do not help");
}

TEST(BinomialThreshold, RefusesWhatIsNoRequest) {
  const MissLimit limit;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(choose_threshold(0, Counts{0}, limit), Error);
  EXPECT_THROW(choose_threshold(10, Counts{}, limit), Error);
  EXPECT_THROW(choose_threshold(10, Counts{11}, limit), Error);
  EXPECT_THROW(choose_threshold(10, Counts{-1}, limit), Error);
  EXPECT_THROW(choose_threshold(10, Counts{2, 1}, limit), Error);
  EXPECT_THROW(choose_threshold(10, Counts{0}, {0, 0.95}), Error);
  EXPECT_THROW(choose_threshold(10, Counts{0}, {1, 0.95}), Error);
  EXPECT_THROW(choose_threshold(10, Counts{0}, {0.05, 1}), Error);
  EXPECT_THROW(choose_threshold(10, Counts{0}, {0.05, kNan}), Error);
  EXPECT_THROW(allowed_misses(0, limit), Error);
  EXPECT_THROW(allowed_misses(10, {kNan, 0.95}), Error);
  EXPECT_THROW(minimum_samples({1e-10, 0.95}), Error);
  EXPECT_THROW(samples_needed(0, 0, limit), Error);
  EXPECT_THROW(samples_needed(11, 10, limit), Error);
  EXPECT_THROW(samples_needed(-1, 10, limit), Error);
  EXPECT_THROW(samples_needed(1, 10, {0.05, 0}), Error);
}

}  // namespace
}  // namespace openworld

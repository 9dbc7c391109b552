#include "openworld/stats/beta_binomial.h"

#include <gtest/gtest.h>

#include <cmath>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

// The definition, by logarithms of gamma functions.
double by_definition(std::int64_t k, const BetaBinomial& d) {
  const auto log_beta = [](double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  };
  const auto n = static_cast<double>(d.trials);
  double sum = 0;
  for (std::int64_t i = 0; i <= std::min(k, d.trials); ++i) {
    const auto x = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                    log_beta(x + d.a, n - x + d.b) - log_beta(d.a, d.b));
  }
  return sum;
}

TEST(BetaBinomial, MatchesItsDefinition) {
  for (const std::int64_t trials : {0, 1, 2, 7, 40, 500}) {
    for (const double a : {0.5, 1.0, 3.0, 40.0}) {
      for (const double b : {0.25, 1.0, 17.0, 900.0}) {
        const BetaBinomial d{trials, a, b};
        for (std::int64_t k = -1; k <= trials + 1; k += 1 + trials / 20) {
          EXPECT_NEAR(beta_binomial_cdf(k, d), by_definition(k, d), 1e-10)
              << k << " of " << trials << ", " << a << " " << b;
        }
      }
    }
  }
}

// 1 + 1 + ... equally likely: Beta(1, 1).
TEST(BetaBinomial, IsUniformForAUniformProbability) {
  for (std::int64_t k = 0; k <= 9; ++k) {
    EXPECT_NEAR(beta_binomial_cdf(k, {9, 1, 1}), static_cast<double>(k + 1) / 10, 1e-15);
  }
  EXPECT_EQ(beta_binomial_quantile(0.5, {9, 1, 1}), 4);  // reached exactly
  EXPECT_EQ(beta_binomial_quantile(0.51, {9, 1, 1}), 5);
}

// Many observations: the probability is known, and the count is binomial.
TEST(BetaBinomial, BecomesBinomial) {
  const BetaBinomial d{1000, 5e11, 9.5e12};
  for (const std::int64_t k : {20, 40, 50, 60, 80}) {
    EXPECT_NEAR(beta_binomial_cdf(k, d), binomial_cdf(k, 1000, 0.05), 1e-9);
  }
}

TEST(BetaBinomial, QuantileIsTheSmallestThatReachesIt) {
  for (const BetaBinomial& d : {BetaBinomial{500, 17, 484}, BetaBinomial{60, 1, 59},
                                BetaBinomial{100'000, 464, 9537}, BetaBinomial{3, 40, 2}}) {
    for (const double p : {0.01, 0.5, 0.9, 0.95, 0.999}) {
      const std::int64_t k = beta_binomial_quantile(p, d);
      EXPECT_GE(beta_binomial_cdf(k, d), p * (1 - 1e-11));
      EXPECT_LT(beta_binomial_cdf(k - 1, d), p);
    }
  }
}

TEST(BetaBinomial, RefusesWhatIsNone) {
  EXPECT_THROW(beta_binomial_cdf(1, {-1, 1, 1}), Error);
  EXPECT_THROW(beta_binomial_cdf(1, {2'000'000'000, 1, 1}), Error);
  EXPECT_THROW(beta_binomial_cdf(1, {5, 0, 1}), Error);
  EXPECT_THROW(beta_binomial_cdf(1, {5, 1, std::nan("")}), Error);
  EXPECT_THROW(beta_binomial_quantile(0, {5, 1, 1}), Error);
  EXPECT_THROW(beta_binomial_quantile(1, {5, 1, 1}), Error);
}

}  // namespace
}  // namespace openworld

#include "openworld/stats/resampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace openworld {
namespace {

std::vector<std::uint8_t> mixed_strata(std::size_t n) {
  std::vector<std::uint8_t> strata(n);
  for (std::size_t i = 0; i < n; ++i) strata[i] = static_cast<std::uint8_t>(i % 7 == 0 ? 2 : i % 2);
  return strata;
}

TEST(Resampler, KeepsTheSizeOfEveryStratum) {
  for (const std::size_t n : {1, 2, 7, 31, 32, 33, 1000, 5003}) {
    const auto strata = mixed_strata(n);
    const Resampler resampler(strata, 3);
    std::vector<std::uint8_t> weights(n);
    for (std::uint64_t b = 0; b < 20; ++b) {
      resampler.draw(b, weights);
      std::array<std::size_t, Resampler::kStrata> sums{};
      for (std::size_t i = 0; i < n; ++i) sums[strata[i]] += weights[i];
      for (int s = 0; s < Resampler::kStrata; ++s) {
        EXPECT_EQ(sums[s], resampler.positions(s).size());
      }
    }
  }
}

TEST(Resampler, DependsOnSeedAndIndexAlone) {
  const Resampler a(mixed_strata(200), 5), b(mixed_strata(200), 5), c(mixed_strata(200), 6);
  std::vector<std::uint8_t> x(200), y(200), z(200);
  a.draw(7, x);
  b.draw(3, y);
  b.draw(7, y);
  c.draw(7, z);
  EXPECT_EQ(x, y);
  EXPECT_NE(x, z);
  a.draw(8, z);
  EXPECT_NE(x, z);
}

// Counts of n draws over n positions are multinomial: each Binomial(n, 1/n), with covariance -1/n
// between any two.
TEST(Resampler, CountsAreMultinomial) {
  const std::size_t n = 6;
  const Resampler resampler(std::vector<std::uint8_t>(n, 0), 9);
  const int draws = 200000;
  std::vector<std::uint8_t> weights(n);
  std::vector<double> histogram(n + 1);
  double sum = 0, squares = 0, products = 0;
  for (int b = 0; b < draws; ++b) {
    resampler.draw(b, weights);
    ++histogram[weights[0]];
    sum += weights[0];
    squares += weights[0] * weights[0];
    products += weights[1] * weights[4];
  }
  const double p = 1.0 / n;
  EXPECT_NEAR(sum / draws, 1, 0.01);
  EXPECT_NEAR(squares / draws - 1, 1 - p, 0.015);  // variance n p (1 - p)
  EXPECT_NEAR(products / draws - 1, -p, 0.01);     // covariance -n p^2
  double term = std::pow(1 - p, n), chi2 = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double expected = term * draws;
    if (expected > 5) chi2 += (histogram[k] - expected) * (histogram[k] - expected) / expected;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1) * p / (1 - p);
  }
  EXPECT_LT(chi2, 22.5);  // 0.999 quantile of chi-squared with 6 degrees of freedom
}

}  // namespace
}  // namespace openworld

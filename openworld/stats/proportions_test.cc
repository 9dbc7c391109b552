#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"
#include "openworld/stats/expect_relative.h"
#include "openworld/stats/proportions.h"

// The half of distributions.h that is about proportions: beta, binomial and the two intervals.
// distributions_test.cc says where the golden values come from.

namespace openworld {
namespace {

struct Beta {
  double x, a, b, value;
};
struct Binomial {
  std::int64_t k, n;
  double p, value;
};
struct Proportion {
  std::int64_t k, n;
  double level, low, high;
};

TEST(Beta, CdfMatches50Digits) {
  const std::vector<Beta> golden = {{1e-09, 0.5, 3, 5.929270608862864e-05},
                                    {0.02, 50, 80, 4.308570975635484e-50},
                                    {0.3, 1000, 1000, 4.2309250369077444e-78},
                                    {0.25, 0.5, 0.5, 0.3333333333333333}};
  for (const auto& [x, a, b, value] : golden) EXPECT_RELATIVE(beta_cdf(x, a, b), value, 1e-12);
}

TEST(Beta, QuantileMatchesScipy) {
  const std::vector<Beta> golden = {
      {1e-12, 1, 1, 1e-12},
      {0.01, 1, 1, 0.01},
      {0.5, 1, 1, 0.5},
      {0.99, 1, 1, 0.99},
      {1e-12, 0.5, 0.5, 2.4674011002723395e-24},
      {0.01, 0.5, 0.5, 0.00024671981713422146},
      {0.5, 0.5, 0.5, 0.4999999999999999},
      {0.99, 0.5, 0.5, 0.9997532801828658},
      {1e-12, 2, 3, 4.082484015750327e-07},
      {0.01, 2, 3, 0.04199863562170072},
      {0.5, 2, 3, 0.3857275681323895},
      {0.99, 2, 3, 0.859132457305454},
      {1e-12, 7, 80, 0.0007926475040159992},
      {0.01, 7, 80, 0.027694654492189684},
      {0.5, 7, 80, 0.07725272692726179},
      {0.99, 7, 80, 0.1611250193163738},
      {1e-12, 50, 10000, 0.001499408850720293},
      {0.01, 50, 10000, 0.00348858956387363},
      {0.5, 50, 10000, 0.004942324228649481},
      {0.99, 50, 10000, 0.006750866680470937},
      {1e-12, 1000000, 3, 0.9999659482396365},
      {0.01, 1000000, 3, 0.9999915940968209},
      {0.5, 1000000, 3, 0.9999973259459356},
      {0.99, 1000000, 3, 0.999999563955366}};  // scipy.stats.beta.ppf(p, a, b)
  for (const auto& [p, a, b, value] : golden) EXPECT_RELATIVE(beta_quantile(p, a, b), value, 1e-12);
  EXPECT_EQ(beta_quantile(0, 2, 3), 0);
  EXPECT_EQ(beta_quantile(1, 2, 3), 1);
}

TEST(Beta, QuantileInvertsTheCdf) {
  for (const double a : {0.5, 1.0, 3.0, 1e3, 1e6, 1e9}) {
    for (const double b : {0.5, 2.0, 1e2, 1e5, 1e9}) {
      for (const double p : {1e-300, 1e-100, 1e-5, 0.3, 0.8}) {
        const double x = beta_quantile(p, a, b);
        // Rounding x moves the cdf by at most x times the density, which near 1 is felt.
        if (x == 0 || x > 0.5) continue;
        const double slack = 1e-10 + 1e-15 * std::sqrt(a + b) * std::abs(std::log(p));
        EXPECT_RELATIVE(beta_cdf(x, a, b), p, slack);
      }
    }
  }
}

TEST(Binomial, MatchesScipyAnd50Digits) {
  // scipy.stats.binom.cdf(k, n, p), then Boost at 50 digits, then 60-digit sums.
  const std::vector<Binomial> cdf = {{0, 1, 0.3, 0.7},
                                     {2, 5, 0.5, 0.5},
                                     {3, 10, 0.1, 0.9872048016},
                                     {0, 59, 0.05, 0.04849452524942322},
                                     {5, 100, 0.05, 0.6159991279561414},
                                     {2, 100, 0.5, 3.9845364322713306e-27},
                                     {20, 1000, 0.05, 7.658846376635442e-07},
                                     {4800, 100000, 0.05, 0.0018013236697115877},
                                     {9, 10, 0.999, 0.009955119790251798},
                                     {86585, 100000, 0.9, 1.2659944964324221e-259},
                                     {475189, 10000000, 0.05, 1.308225477677902e-288},
                                     {499683772, 1000000000, 0.5, 2.7545164140154965e-89},
                                     {500000000, 1000000000, 0.5, 0.5000126156626069},
                                     {299992754, 1000000000, 0.3, 0.3085433300139212},
                                     {299478310, 1000000000, 0.3, 3.374377053265525e-284},
                                     {400, 1000000000, 1e-06, 1.3194555908366715e-103},
                                     {49750000, 1000000000, 0.05, 7.409848177889799e-289}};
  // scipy.stats.binom.sf(k, n, p), then the same two.
  const std::vector<Binomial> survival = {{0, 1, 0.3, 0.3},
                                          {2, 5, 0.5, 0.5},
                                          {3, 10, 0.1, 0.0127951984},
                                          {0, 59, 0.05, 0.9515054747505768},
                                          {5, 100, 0.05, 0.3840008720438586},
                                          {99, 100, 0.5, 7.888609052210118e-31},
                                          {99, 100, 0.001, 1.000000000000002e-300},
                                          {80, 1000, 0.05, 2.0487436910131967e-05},
                                          {5400, 100000, 0.05, 4.675546922863272e-09},
                                          {9, 10, 1e-30, 1.0000000000000009e-300},
                                          {9034153, 10000000, 0.9, 5.107658853480836e-287},
                                          {460, 100000, 0.001, 8.053437722305785e-152},
                                          {298, 1000, 0.05, 6.299310139053376e-142},
                                          {500316228, 1000000000, 0.5, 2.751025738821923e-89},
                                          {300521690, 1000000000, 0.3, 5.1706651470699596e-284},
                                          {1000, 1000000000, 1e-06, 0.4915906328314924},
                                          {2300, 1000000000, 1e-06, 2.593780741306395e-270}};
  for (const auto& [k, n, p, value] : cdf) EXPECT_RELATIVE(binomial_cdf(k, n, p), value, 1e-12);
  for (const auto& [k, n, p, value] : survival) {
    EXPECT_RELATIVE(binomial_survival(k, n, p), value, 1e-12);
  }
}

TEST(Binomial, MatchesTheSumOfItsTerms) {
  for (const int n : {1, 2, 7, 30, 60}) {
    for (const double p : {0.01, 0.3, 0.5, 0.95}) {
      double sum = 0;
      for (int k = 0; k < n; ++k) {
        double term = 1;
        for (int i = 1; i <= k; ++i) term *= static_cast<double>(n - k + i) / i;
        sum += term * std::pow(p, k) * std::pow(1 - p, n - k);
        EXPECT_RELATIVE(binomial_cdf(k, n, p), sum, 1e-13);
      }
    }
  }
}

TEST(Binomial, EndsOfTheSupport) {
  EXPECT_EQ(binomial_cdf(-1, 10, 0.3), 0);
  EXPECT_EQ(binomial_cdf(10, 10, 0.3), 1);
  EXPECT_EQ(binomial_cdf(0, 0, 0.3), 1);
  EXPECT_EQ(binomial_cdf(3, 10, 0), 1);
  EXPECT_EQ(binomial_cdf(3, 10, 1), 0);
  EXPECT_EQ(binomial_survival(-1, 10, 0.3), 1);
  EXPECT_EQ(binomial_survival(10, 10, 0.3), 0);
}

TEST(Proportion, IntervalsMatchScipy) {
  // scipy.stats.binomtest(k, n).proportion_ci(level, method="exact")
  const std::vector<Proportion> exact = {
      {0, 10, 0.95, 0, 0.30849710781876294},
      {10, 10, 0.95, 0.6915028921812371, 1},
      {3, 10, 0.95, 0.06673951117773447, 0.652452850060008},
      {5, 100, 0.9, 0.01990556366176475, 0.10225337764327457},
      {1, 1000, 0.99, 5.012529260766841e-06, 0.007406286938353162},
      {500, 100000, 0.95, 0.004572244150070556, 0.005456841177058692}};
  // the same with method="wilson"
  const std::vector<Proportion> wilson = {
      {0, 10, 0.95, 0, 0.27753279986288926},
      {10, 10, 0.95, 0.7224672001371109, 1},
      {3, 10, 0.95, 0.10779126740630102, 0.6032218525388546},
      {5, 100, 0.9, 0.024547363425804138, 0.09916108527905274},
      {1, 1000, 0.99, 0.00011741635361832165, 0.008460566219981695},
      {500, 100000, 0.95, 0.004581445312245602, 0.005456583669211608}};
  for (const auto& [k, n, level, low, high] : exact) {
    const Bounds bounds = clopper_pearson_interval(k, n, level);
    EXPECT_RELATIVE(bounds.low, low, 1e-10);
    EXPECT_RELATIVE(bounds.high, high, 1e-10);
  }
  for (const auto& [k, n, level, low, high] : wilson) {
    const Bounds bounds = wilson_interval(k, n, level);
    EXPECT_RELATIVE(bounds.low, low, 1e-12);
    EXPECT_RELATIVE(bounds.high, high, 1e-12);
  }
}

TEST(Proportion, ClopperPearsonEndsAreWhereTheTailsHoldHalfTheRest) {
  for (const std::int64_t k : {1, 17, 59}) {
    const Bounds bounds = clopper_pearson_interval(k, 60, 0.9);
    EXPECT_NEAR(binomial_survival(k - 1, 60, bounds.low), 0.05, 1e-12);
    EXPECT_NEAR(binomial_cdf(k, 60, bounds.high), 0.05, 1e-12);
  }
}

TEST(Proportion, RefusesWhatHasNoMeaning) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(beta_cdf(1.5, 2, 3), Error);
  EXPECT_THROW(beta_survival(0.5, 0, 3), Error);
  EXPECT_THROW(beta_quantile(0.5, 2, kNan), Error);
  EXPECT_THROW(binomial_cdf(1, -1, 0.5), Error);
  EXPECT_THROW(binomial_survival(1, 10, 1.5), Error);
  EXPECT_THROW(clopper_pearson_interval(1, 0), Error);
  EXPECT_THROW(clopper_pearson_interval(11, 10), Error);
  EXPECT_THROW(wilson_interval(-1, 10), Error);
  EXPECT_THROW(wilson_interval(1, 10, 1), Error);
}

TEST(Proportion, ErrorsNameTheFunctionAndTheValue) {
  try {
    wilson_interval(11, 10);
    FAIL() << "accepted 11 of 10";
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "[wilson_interval] k is 11; expected 0 to n = 10");
  }
}

}  // namespace
}  // namespace openworld

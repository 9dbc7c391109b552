#include "openworld/stats/special_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "openworld/base/random.h"
#include "openworld/stats/expect_relative.h"

namespace openworld {
namespace {

double sigmoid(double u) {
  return 1 / (1 + std::exp(-u));
}

// A pair of parameters, log-uniform from 1/2 to 1e6.
struct Parameters {
  explicit Parameters(Random& random)
      : a(0.5 * std::pow(2e6, random.uniform())), b(0.5 * std::pow(2e6, random.uniform())) {}
  double a, b;
};

TEST(IncompleteBeta, ClosedFormsHoldInBothTails) {
  for (const double x : {1e-300, 1e-20, 1e-3, 0.25, 0.5}) {
    const double y = 1 - x;
    EXPECT_RELATIVE(incomplete_beta(1, 1, x, y).lower, x, 1e-13);
    EXPECT_RELATIVE(incomplete_beta(1, 7, x, y).lower, -std::expm1(7 * std::log1p(-x)), 1e-13);
    EXPECT_RELATIVE(incomplete_beta(7, 1, y, x).upper, -std::expm1(7 * std::log1p(-x)), 1e-13);
    EXPECT_RELATIVE(incomplete_beta(0.5, 0.5, x, y).lower,
                    std::asin(std::sqrt(x)) * 2 / std::numbers::pi, 1e-13);
  }
}

// I_x(a, b) = I_x(a + 1, b) + x^a y^b / (a B(a, b)), and the mirror image of it.
TEST(IncompleteBeta, StepsOfTheFirstParameterAddTheDensityTerm) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Parameters s(random);
    const double u = std::log(s.a / s.b) + 8 * random.normal() * std::sqrt(1 / s.a + 1 / s.b);
    const double x = sigmoid(u), y = sigmoid(-u);
    const Tails here = incomplete_beta(s.a, s.b, x, y);
    const Tails a_up = incomplete_beta(s.a + 1, s.b, x, y);
    const Tails b_up = incomplete_beta(s.a, s.b + 1, x, y);
    if (here.lower < 1e-290 || here.upper < 1e-290) continue;
    const double term_a = s.a * (here.lower - a_up.lower);  // x^a y^b / B(a, b)
    const double term_b = s.b * (b_up.lower - here.lower);  // the same
    const double noise = 1e-12 * (s.a + s.b) * here.lower;
    EXPECT_NEAR(term_a, term_b, noise) << s.a << " " << s.b << " " << x;
  }
}

TEST(IncompleteBeta, MirrorSwapsTheTails) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const Parameters s(random);
    const double u = std::log(s.a / s.b) + 5 * random.normal() * std::sqrt(1 / s.a + 1 / s.b);
    const Tails one = incomplete_beta(s.a, s.b, sigmoid(u), sigmoid(-u));
    const Tails other = incomplete_beta(s.b, s.a, sigmoid(-u), sigmoid(u));
    EXPECT_RELATIVE(one.lower, other.upper, 1e-13);
    EXPECT_RELATIVE(one.upper, other.lower, 1e-13);
    EXPECT_NEAR(one.lower + one.upper, 1, 1e-15);
  }
}

TEST(IncompleteBeta, InverseFindsTheTailItCameFrom) {
  Random random(3);
  for (int i = 0; i < 5000; ++i) {
    const Parameters s(random);
    const double p = i % 2 == 0 ? 0.5 * random.uniform() : std::exp(-690 * random.uniform());
    const double u = incomplete_beta_inverse_logit(s.a, s.b, {p, 1 - p});
    EXPECT_EQ(incomplete_beta_inverse_logit(s.b, s.a, {1 - p, p}), -u);
    if (u < -700) continue;  // x underflows; the Cauchy quantiles test that
    // The tolerance is what rounding u does to the tail.
    EXPECT_RELATIVE(incomplete_beta(s.a, s.b, sigmoid(u), sigmoid(-u)).lower, p, 5e-11)
        << s.a << " " << s.b;
  }
}

TEST(IncompleteGamma, ClosedFormsHoldInBothTails) {
  for (const double x : {1e-300, 1e-20, 1e-3, 0.9, 1.1, 2.0, 5.0, 30.0, 690.0}) {
    const Tails exponential = incomplete_gamma(1, x);
    EXPECT_RELATIVE(exponential.lower, -std::expm1(-x), 1e-13);
    EXPECT_RELATIVE(exponential.upper, std::exp(-x), 1e-12);
    const Tails half = incomplete_gamma(0.5, x);
    EXPECT_RELATIVE(half.lower, std::erf(std::sqrt(x)), 1e-13);
    EXPECT_RELATIVE(half.upper, std::erfc(std::sqrt(x)), 1e-12);
  }
}

// 50-digit values of Boost.Math 1.74 (gamma_p and ibeta on cpp_bin_float<60>); what double and long
// double libraries get wrong in the tenth digit.
TEST(SpecialFunctions, KeepTheirDigitsAtParametersOf1e9) {
  EXPECT_RELATIVE(incomplete_gamma(964715963.72297204, 964231804.64205945).lower,
                  4.2218899667107244731e-55, 1e-12);
  const double x = 0.3737872696178437;
  EXPECT_RELATIVE(incomplete_beta(483763212.10790235, 810427445.93739533, x, 1 - x).lower,
                  0.25958667248155238453, 1e-12);
}

}  // namespace
}  // namespace openworld

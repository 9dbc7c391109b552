#include "openworld/stats/special_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace openworld {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// log Gamma(x + 1) - [(x + 1/2) log x - x + log(2 pi)/2], the error of Stirling's formula.
double stirling_remainder(double x) {
  if (x < 16) {
    return std::lgamma(x + 1) - (x + 0.5) * std::log(x) + x - 0.5 * std::log(2 * std::numbers::pi);
  }
  // Bernoulli numbers B_2j / (2j (2j - 1)); at x = 16 the first term left out is below 1e-17.
  const double z = 1 / (x * x);
  return (1.0 / 12 -
          z * (1.0 / 360 -
               z * (1.0 / 1260 - z * (1.0 / 1680 - z * (1.0 / 1188 - z * 691.0 / 360360))))) /
         x;
}

// a log(a/m) + m - a for delta = a - m: how far a count a is from its mean m, in nats.
double deviance(double a, double m, double delta) {
  const double v = delta / (a + m);
  if (std::abs(v) > 0.5) return a * (std::log(a) - std::log(m)) - delta;
  // log(a/m) = 2 atanh(v); the leading terms cancel on paper instead of in the machine.
  double sum = 0;
  double power = v;
  for (int j = 3; j < 200; j += 2) {
    power *= v * v;
    const double term = power / j;
    sum += term;
    if (std::abs(term) <= kEpsilon * std::abs(sum)) break;
  }
  return delta * v + 2 * a * sum;
}

// x^a y^b / B(a, b), where lambda = a - (a + b) x.
double beta_power(double a, double b, double x, double y, double lambda) {
  const double n = a + b;
  const double exponent = stirling_remainder(n) - stirling_remainder(a) - stirling_remainder(b) -
                          deviance(a, n * x, lambda) - deviance(b, n * y, -lambda);
  return std::sqrt(a / n * b / (2 * std::numbers::pi)) * std::exp(exponent);
}

// b_0 + a_1 / (b_1 + a_2 / (b_2 + ...)) by the modified Lentz method; next(m, a_m, b_m) gives the
// terms from m = 1. Where they are positive the partial values bracket the limit, so the last
// change bounds the error.
template <class Next>
double continued_fraction(double b0, Next next) {
  constexpr double kTiny = 1e-300;
  constexpr int kMaxTerms = 10'000'000;
  double f = b0 == 0 ? kTiny : b0;
  double c = f, d = 0, am = 0, bm = 0;
  for (int m = 1; m < kMaxTerms; ++m) {
    next(m, am, bm);
    d = bm + am * d;
    if (d == 0) d = kTiny;
    c = bm + am / c;
    if (c == 0) c = kTiny;
    d = 1 / d;
    const double factor = c * d;
    f *= factor;
    // The rounding of c and d keeps the factor up to about two epsilons from 1.
    if (std::abs(factor - 1) <= 4 * kEpsilon) break;
  }
  return f;
}

// I_x(a, b) for x at most about the mean a/(a + b), that is lambda >= 0.
double beta_left_tail(double a, double b, double x, double y, double lambda) {
  const double power = beta_power(a, b, x, y, lambda);
  if (power == 0) return 0;
  const double b0 = a / (a + 1) * (lambda + 1);
  return power / continued_fraction(b0, [&](double m, double& am, double& bm) {
           const double s = a + 2 * m;
           const double w = m * (b - m) * x;
           am = (a + m - 1) / (s - 1) * ((a + b + m - 1) / (s - 1)) * w * x;
           bm = m + w / (s - 1) + (a + m) / (s + 1) * (lambda + 1 + m * (1 + y));
         });
}

// a - (a + b) x as if with one rounding, from whichever of x and y is exact.
double beta_lambda(double a, double b, double x, double y) {
  if (x > y) return -beta_lambda(b, a, y, x);
  const double n = a + b;
  const double larger = std::max(a, b), smaller = std::min(a, b);
  const double lost = smaller - (n - larger);  // exactly what rounding took from n
  return std::fma(-n, x, a) - lost * x;
}

}  // namespace

Tails incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return {0, 1};
  if (y <= 0) return {1, 0};
  const double lambda = beta_lambda(a, b, x, y);
  if (lambda >= 0) {
    const double lower = beta_left_tail(a, b, x, y, lambda);
    return {lower, 1 - lower};
  }
  const double upper = beta_left_tail(b, a, y, x, -lambda);
  return {1 - upper, upper};
}

Tails incomplete_gamma(double a, double x) {
  if (x <= 0) return {0, 1};
  if (std::isinf(x)) return {1, 0};
  const double power = std::sqrt(a / (2 * std::numbers::pi)) *
                       std::exp(-stirling_remainder(a) - deviance(a, x, a - x));
  if (x < a + 1) {
    double sum = 1 / a, term = 1 / a;
    for (double n = 1; term > kEpsilon * sum; ++n) {
      term *= x / (a + n);
      sum += term;
    }
    return {power * sum, 1 - power * sum};
  }
  if (power == 0) return {1, 0};
  const double upper = power / continued_fraction(x - a + 1, [&](double m, double& am, double& bm) {
                         am = m * (a - m);
                         bm = x - a + 2 * m + 1;
                       });
  return {1 - upper, upper};
}

double incomplete_beta_inverse_logit(double a, double b, Tails tails) {
  if (tails.lower > tails.upper) {
    return -incomplete_beta_inverse_logit(b, a, {tails.upper, tails.lower});
  }
  const double target = std::log(tails.lower);
  const auto lower_tail = [&](double u) {
    return incomplete_beta(a, b, 1 / (1 + std::exp(-u)), 1 / (1 + std::exp(u))).lower;
  };
  // Left of here I_x(a, b) is x^a times a constant to the last bit, even where x underflows.
  const double far_left = -50 - std::log1p(b);
  const double far_tail = lower_tail(far_left);
  if (far_tail > 0 && target <= std::log(far_tail)) {
    return far_left + (target - std::log(far_tail)) / a;
  }

  double low = far_left, high = std::numeric_limits<double>::infinity();
  double u = std::log(a / b);
  for (int step = 0; step < 200; ++step) {
    const double x = 1 / (1 + std::exp(-u)), y = 1 / (1 + std::exp(u));
    const double tail = incomplete_beta(a, b, x, y).lower;
    const double excess = std::log(tail) - target;
    (excess < 0 ? low : high) = u;
    const double next = u - excess * tail / beta_power(a, b, x, y, beta_lambda(a, b, x, y));
    // Newton squares the excess, so this step is the last that can matter.
    if (std::abs(excess) < 1e-8) return next;
    // A long step to the left can end where the tail underflows; then the bracket is halved.
    u = next > low && next < high ? next : 0.5 * (low + high);
  }
  return u;
}

}  // namespace openworld

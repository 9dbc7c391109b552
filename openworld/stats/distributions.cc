#include "openworld/stats/distributions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include "openworld/base/error.h"
#include "openworld/stats/special_functions.h"

namespace openworld {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void check_number(std::string_view function, std::string_view name, double value) {
  if (std::isnan(value)) fail(function, fmt::format("{} is NaN; expected a number", name));
}

void check_positive(std::string_view function, std::string_view name, double value) {
  if (!(value > 0)) fail(function, fmt::format("{} is {}; expected more than 0", name, value));
}

void check_not_negative(std::string_view function, std::string_view name, double value) {
  if (!(value >= 0)) fail(function, fmt::format("{} is {}; expected 0 or more", name, value));
}

void check_probability(std::string_view function, std::string_view name, double value) {
  if (!(value >= 0 && value <= 1)) {
    fail(function, fmt::format("{} is {}; expected a probability, 0 to 1", name, value));
  }
}

void check_beta(std::string_view function, double a, double b) {
  for (const auto& [name, value] : {std::pair{"a", a}, std::pair{"b", b}}) {
    if (!(value > 0 && value < kInfinity)) {
      fail(function, fmt::format("{} is {}; expected a finite number above 0", name, value));
    }
  }
}

// P(T > t) for t >= 0.
double student_t_tail(double t, double df) {
  if (df == kInfinity) return normal_survival(t);
  if (t == kInfinity) return 0;
  // x = df/(df + t^2) and y = 1 - x, both from the ratio that does not overflow.
  const double r = t / std::sqrt(df);
  const double x = r < 1 ? 1 / (1 + r * r) : (1 / r) / (1 / r + r);
  const double y = r < 1 ? r * r / (1 + r * r) : r / (1 / r + r);
  return 0.5 * incomplete_beta(0.5 * df, 0.5, x, y).lower;
}

Tails beta_tails(double x, double a, double b) {
  return incomplete_beta(a, b, x, 1 - x);
}

// P(X <= k) and P(X > k). The k-th order statistic of n uniforms is Beta(k, n + 1 - k), hence
// P(X > k) = I_p(k + 1, n - k).
Tails binomial_tails(std::string_view function, std::int64_t k, std::int64_t n, double p) {
  check_probability(function, "p", p);
  if (n < 0) fail(function, fmt::format("n is {}; expected 0 or more trials", n));
  if (k < 0) return {0, 1};
  if (k >= n) return {1, 0};
  const Tails tails =
      beta_tails(p, static_cast<double>(k) + 1, static_cast<double>(n) - static_cast<double>(k));
  return {tails.upper, tails.lower};
}

}  // namespace

double normal_cdf(double x) {
  return normal_survival(-x);
}

double normal_survival(double x) {
  check_number("normal_survival", "x", x);
  return 0.5 * std::erfc(x / std::numbers::sqrt2);
}

double normal_quantile(double p) {
  check_probability("normal_quantile", "p", p);
  if (p > 0.5) return -normal_quantile(1 - p);  // the subtraction is exact
  if (p == 0) return -kInfinity;
  if (p == 0.5) return 0;
  // Abramowitz and Stegun 26.2.23 is within 4.5e-4; each step of Halley's method triples the
  // digits.
  const double s = std::sqrt(-2 * std::log(p));
  double x = (2.515517 + s * (0.802853 + s * 0.010328)) /
                 (1 + s * (1.432788 + s * (0.189269 + s * 0.001308))) -
             s;
  for (int step = 0; step < 3; ++step) {
    const double density = std::exp(-0.5 * x * x) / std::sqrt(2 * std::numbers::pi);
    if (density == 0) break;
    const double u = (normal_cdf(x) - p) / density;
    x -= u / (1 + 0.5 * x * u);
  }
  return x;
}

double student_t_cdf(double t, double df) {
  return student_t_survival(-t, df);
}

double student_t_survival(double t, double df) {
  check_number("student_t_survival", "t", t);
  check_positive("student_t_survival", "df", df);
  return t >= 0 ? student_t_tail(t, df) : 1 - student_t_tail(-t, df);
}

double student_t_quantile(double p, double df) {
  check_probability("student_t_quantile", "p", p);
  check_positive("student_t_quantile", "df", df);
  if (df == kInfinity) return normal_quantile(p);
  if (p > 0.5) return -student_t_quantile(1 - p, df);  // the subtraction is exact
  if (p == 0) return -kInfinity;
  if (p == 0.5) return 0;
  // P(|T| > t) = I_x(df/2, 1/2) with t^2 = df (1 - x)/x = df e^-u.
  const double u = incomplete_beta_inverse_logit(0.5 * df, 0.5, {2 * p, 2 * (0.5 - p)});
  return -std::sqrt(df) * std::exp(-0.5 * u);
}

double chi_squared_cdf(double x, double df) {
  check_not_negative("chi_squared_cdf", "x", x);
  check_positive("chi_squared_cdf", "df", df);
  return incomplete_gamma(0.5 * df, 0.5 * x).lower;
}

double chi_squared_survival(double x, double df) {
  check_not_negative("chi_squared_survival", "x", x);
  check_positive("chi_squared_survival", "df", df);
  return incomplete_gamma(0.5 * df, 0.5 * x).upper;
}

double chi_squared_quantile(double p, double df) {
  check_probability("chi_squared_quantile", "p", p);
  check_positive("chi_squared_quantile", "df", df);
  if (p == 0) return 0;
  if (p == 1) return kInfinity;
  // Bisection of the smaller tail, which has digits where the other is close to 1.
  const auto below = [&](double x) {
    const Tails tails = incomplete_gamma(0.5 * df, 0.5 * x);
    return p < 0.5 ? tails.lower < p : tails.upper > 1 - p;
  };
  double low = df, high = df;
  while (low > 0 && !below(low)) low *= 0.5;
  while (below(high)) high *= 2;
  for (double middle = 0.5 * (low + high); low < middle && middle < high;
       middle = 0.5 * (low + high)) {
    (below(middle) ? low : high) = middle;
  }
  return high;
}

double f_survival(double f, double df1, double df2) {
  check_not_negative("f_survival", "f", f);
  check_beta("f_survival", df1, df2);
  if (f == kInfinity) return 0;
  const double r = df1 / df2 * f;
  if (r == kInfinity) return 0;
  const double x = r < 1 ? 1 / (1 + r) : (1 / r) / (1 / r + 1);
  return incomplete_beta(0.5 * df2, 0.5 * df1, x, r / (1 + r)).lower;
}

double beta_cdf(double x, double a, double b) {
  check_probability("beta_cdf", "x", x);
  check_beta("beta_cdf", a, b);
  return beta_tails(x, a, b).lower;
}

double beta_survival(double x, double a, double b) {
  check_probability("beta_survival", "x", x);
  check_beta("beta_survival", a, b);
  return beta_tails(x, a, b).upper;
}

double beta_quantile(double p, double a, double b) {
  check_probability("beta_quantile", "p", p);
  check_beta("beta_quantile", a, b);
  if (p == 0 || p == 1) return p;
  return 1 / (1 + std::exp(-incomplete_beta_inverse_logit(a, b, {p, 1 - p})));
}

double binomial_cdf(std::int64_t k, std::int64_t n, double p) {
  return binomial_tails("binomial_cdf", k, n, p).lower;
}

double binomial_survival(std::int64_t k, std::int64_t n, double p) {
  return binomial_tails("binomial_survival", k, n, p).upper;
}

}  // namespace openworld

#pragma once

// The probability distributions that intervals and tests need: normal, Student t, chi-squared, F,
// beta and binomial.
//
// A survival function is P(X > x). Use it for small upper tails: 1 - cdf has no digits left below
// 1e-16, the survival functions here are right to about 1e-12 relative down to 1e-300. Quantiles
// are right to about 1e-10. Quantiles at 0 and 1 are the ends of the support, infinite or not.
//
// NaN and parameters outside their range throw Error. Each call is O(1), or O(sqrt(n)) near the
// mean for beta and binomial (see special_functions.h).

#include <cstdint>

namespace openworld {

double normal_cdf(double x);
double normal_survival(double x);
double normal_quantile(double p);

// df > 0 degrees of freedom, infinity included (then it is the normal).
double student_t_cdf(double t, double df);
double student_t_survival(double t, double df);
double student_t_quantile(double p, double df);

// df > 0, x >= 0.
double chi_squared_cdf(double x, double df);
double chi_squared_survival(double x, double df);
double chi_squared_quantile(double p, double df);

// P(F > f) for df1 > 0 and df2 > 0 degrees of freedom, f >= 0; f may be infinite.
double f_survival(double f, double df1, double df2);

// The beta distribution; its cdf is the regularised incomplete beta function I_x(a, b).
// a > 0, b > 0, x and p in [0, 1].
double beta_cdf(double x, double a, double b);
double beta_survival(double x, double a, double b);
double beta_quantile(double p, double a, double b);

// X = number of successes in n trials of probability p: P(X <= k) and P(X > k), exact (no normal
// approximation). n >= 0, p in [0, 1], any k.
double binomial_cdf(std::int64_t k, std::int64_t n, double p);
double binomial_survival(std::int64_t k, std::int64_t n, double p);

}  // namespace openworld

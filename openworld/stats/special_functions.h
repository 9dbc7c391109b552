#pragma once

// The incomplete beta and gamma functions, on which every distribution in distributions.h rests.
//
// Both return their two tails together, and the smaller one is never 1 minus the larger: a p-value
// of 1e-300 keeps its digits. Relative error about 1e-12 down to 1e-300, for parameters from 1/2 to
// 1e9; below 1/2 the answer is right but loses digits as the parameter nears 0.
//
// The factor x^a y^b / B(a, b) decides the accuracy: as a difference of log gammas it would lose
// nine digits at a = 1e9. It is written with Stirling remainders and deviances instead (Loader,
// "Fast and accurate computation of binomial probabilities", 2000), the deviance with one fma. The
// rest is a continued fraction whose terms are positive where it matters (DiDonato and Morris,
// "Algorithm 708", ACM TOMS 18, 1992).
//
// Time: O(sqrt(a + b)) near the mean, a few dozen terms in the tails. 25 us at a + b = 1e9.

namespace openworld {

struct Tails {
  double lower;
  double upper;
};

// I_x(a, b) = 1/B(a, b) * integral of s^(a-1) (1-s)^(b-1) from 0 to x, and 1 - I_x(a, b).
// REQUIRES: a > 0, b > 0, x and y in [0, 1], x + y = 1; the smaller of the two counts as exact.
Tails incomplete_beta(double a, double b, double x, double y);

// P(a, x) = 1/Gamma(a) * integral of s^(a-1) e^-s from 0 to x, and 1 - P(a, x).
// REQUIRES: a > 0, x >= 0.
Tails incomplete_gamma(double a, double x);

// The u with I_x(a, b) = lower for x = 1/(1 + e^-u). In u the density is x^a y^b / B(a, b), whose
// logarithm is concave; so the logarithm of the tail is concave too and Newton's method on it
// converges from any start.
// REQUIRES: a > 0, b > 0, both tails > 0 and adding up to 1; the smaller one counts as exact.
double incomplete_beta_inverse_logit(double a, double b, Tails tails);

}  // namespace openworld

#pragma once

// The beta-binomial distribution: successes in `trials` draws whose probability is itself drawn
// from Beta(a, b).
//
//   P(X = i) = C(trials, i) B(i + a, trials - i + b) / B(a, b)
//
// For whole a and b it is a count of ranks: of a + b - 1 + trials exchangeable values, a + b - 1
// are the first and X of the rest lie below the a-th smallest of these.

#include <cstdint>

namespace openworld {

struct BetaBinomial {
  std::int64_t trials = 0;  // 0 to 1e9
  double a = 1, b = 1;      // above 0
};

// P(X <= k), right to about 1e-12. The terms are summed from the largest one on both sides, so it
// takes O(standard deviation). Throws Error for parameters out of range.
double beta_binomial_cdf(std::int64_t k, const BetaBinomial& distribution);

// The smallest k with P(X <= k) >= p, for p in (0, 1); a p that the distribution reaches exactly
// counts as reached. Throws Error.
std::int64_t beta_binomial_quantile(double p, const BetaBinomial& distribution);

}  // namespace openworld

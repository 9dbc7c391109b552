#include "openworld/stats/beta_binomial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "openworld/base/error.h"

namespace openworld {
namespace {

constexpr std::int64_t kMostTrials = 1'000'000'000;
// Relative to the largest term; a billion of them stay below the error of the sum.
constexpr double kNegligible = 1e-25;

// P(X = i + 1) / P(X = i).
double ratio(std::int64_t i, const BetaBinomial& d) {
  const auto x = static_cast<double>(i), rest = static_cast<double>(d.trials - i);
  return (x + d.a) * rest / ((x + 1) * (rest - 1 + d.b));
}

// The terms that are not negligible, up to a factor: `values[j]` is of i = first + j.
struct Terms {
  std::int64_t first = 0;
  std::vector<double> values{};
  double total = 0;
};

Terms terms_of(const BetaBinomial& d, const char* function) {
  if (d.trials < 0 || d.trials > kMostTrials || !(d.a > 0) || !(d.b > 0)) {
    fail(function, fmt::format("{} trials with Beta({}, {}); expected 0 to {} and numbers above 0",
                               d.trials, d.a, d.b, kMostTrials));
  }
  // With a or b below 1 an end may be larger than the middle; the middle is then still a start.
  const double middle = static_cast<double>(d.trials) * d.a / (d.a + d.b);
  const auto start = std::clamp<std::int64_t>(static_cast<std::int64_t>(middle), 0, d.trials);
  std::vector<double> below, above = {1.0};
  double largest = 1;
  const auto go_on = [&](double term) {
    largest = std::max(largest, term);
    return term > kNegligible * largest;
  };
  for (std::int64_t i = start; i > 0; --i) {
    const double term = (below.empty() ? 1.0 : below.back()) / ratio(i - 1, d);
    if (!go_on(term)) break;
    below.push_back(term);
  }
  for (std::int64_t i = start; i < d.trials; ++i) {
    const double term = above.back() * ratio(i, d);
    if (!go_on(term)) break;
    above.push_back(term);
  }
  Terms terms{.first = start - static_cast<std::int64_t>(below.size()), .values = {}};
  terms.values.assign(below.rbegin(), below.rend());
  terms.values.insert(terms.values.end(), above.begin(), above.end());
  for (const double term : terms.values) terms.total += term;
  return terms;
}

}  // namespace

double beta_binomial_cdf(std::int64_t k, const BetaBinomial& distribution) {
  const Terms terms = terms_of(distribution, "beta_binomial_cdf");
  const std::int64_t count = std::clamp<std::int64_t>(
      k - terms.first + 1, 0, static_cast<std::int64_t>(terms.values.size()));
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) sum += terms.values[static_cast<std::size_t>(j)];
  return std::min(1.0, sum / terms.total);
}

std::int64_t beta_binomial_quantile(double p, const BetaBinomial& distribution) {
  if (!(p > 0 && p < 1)) {
    fail("beta_binomial_quantile", fmt::format("p is {}; expected a number between 0 and 1", p));
  }
  const Terms terms = terms_of(distribution, "beta_binomial_quantile");
  const double wanted = p * (1 - 1e-11) * terms.total;
  double sum = 0;
  std::int64_t k = terms.first;
  for (const double term : terms.values) {
    sum += term;
    if (sum >= wanted) return k;
    ++k;
  }
  return distribution.trials;
}

}  // namespace openworld

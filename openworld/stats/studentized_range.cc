#include "openworld/stats/studentized_range.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string_view>

#include "openworld/base/error.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

void check(std::string_view function, std::string_view name, double value, int k) {
  if (std::isnan(value)) fail(function, fmt::format("{} is NaN; expected a number", name));
  if (k < 2) fail(function, fmt::format("k is {}; a range needs at least 2 values", k));
}

// The trapezoid rule for k * integral of phi(z) f(z) dz; beyond 38 the density underflows.
constexpr double kStep = 1.0 / 16;
constexpr int kEnd = 38 * 16;

double scaled(double sum, int k) {
  return k * sum * kStep / std::sqrt(2 * std::numbers::pi);
}

template <class F>
double expect_of_minimum(int k, F f) {
  double sum = 0;
  for (int i = -kEnd; i <= kEnd; ++i) {
    const double z = i * kStep;
    sum += std::exp(-0.5 * z * z) * f(z);
  }
  return scaled(sum, k);
}

}  // namespace

double studentized_range_cdf(double q, int k) {
  check("studentized_range_cdf", "q", q, k);
  if (q <= 0) return 0;
  return expect_of_minimum(k, [&](double z) {
    // The difference of the smaller tails, so that it does not cancel on either side.
    const double inside = z + 0.5 * q > 0 ? normal_survival(z) - normal_survival(z + q)
                                          : normal_cdf(z + q) - normal_cdf(z);
    return std::pow(inside, k - 1);
  });
}

StudentizedRangeTail::StudentizedRangeTail(int k) : k_(k) {
  check("studentized_range_survival", "q", 0, k);
  points_.reserve(2 * kEnd + 1);
  for (int i = -kEnd; i <= kEnd; ++i) {
    const double z = i * kStep;
    const double above = normal_survival(z), all_above = std::pow(above, k - 1);
    if (above == 0 || all_above == 0) break;  // as they are from here on: they fall
    points_.push_back({z, std::exp(-0.5 * z * z), above, all_above});
  }
}

double StudentizedRangeTail::survival(double q) const {
  check("studentized_range_survival", "q", q, k_);
  if (q <= 0) return 1;
  double sum = 0;
  for (const Point& at : points_) {
    // The second factor is at most 1. What is left is less than half of the last digit.
    if (at.z > 0 && at.density * at.all_above < 1e-17 * sum) break;
    const double beyond = normal_survival(at.z + q) / at.above;
    sum += at.density * (at.all_above * -std::expm1((k_ - 1) * std::log1p(-beyond)));
  }
  return scaled(sum, k_);
}

double studentized_range_survival(double q, int k) {
  return StudentizedRangeTail(k).survival(q);
}

double studentized_range_quantile(double p, int k) {
  check("studentized_range_quantile", "p", p, k);
  if (!(p >= 0 && p < 1)) {
    fail("studentized_range_quantile",
         fmt::format("p is {}; expected a probability, 0 or more and less than 1", p));
  }
  // P(range > q) <= k(k-1)/2 P(|difference of two| > q), so a q this large is beyond any double p.
  const StudentizedRangeTail tail(k);
  double low = 0, high = 64;
  while (high - low > 1e-11 * high) {
    const double middle = 0.5 * (low + high);
    const bool left =
        p < 0.5 ? studentized_range_cdf(middle, k) < p : tail.survival(middle) > 1 - p;
    (left ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace openworld

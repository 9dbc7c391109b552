#pragma once

// Intervals for a proportion, and for functions of two.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "openworld/stats/interval.h"

namespace openworld {

// Two ends of an interval, low <= high.
struct Bounds {
  double low;
  double high;
};

// For a probability of which k successes in n >= 1 trials were seen; level in (0, 1).
//
// Clopper and Pearson (1934): covers with probability at least `level` for every true value, and
// is therefore wide. Wilson (1927): covers with about `level` on average, narrower, better
// for plots. Neither collapses at k = 0 or k = n, where the textbook p +- 1.96 se has width 0.
Bounds clopper_pearson_interval(std::int64_t k, std::int64_t n, double level = 0.95);
Bounds wilson_interval(std::int64_t k, std::int64_t n, double level = 0.95);

// A proportion with its Wilson interval.
struct Proportion {
  double value, low, high;
};

// REQUIRES: 0 <= right <= total, total > 0.
Proportion wilson_proportion(std::int64_t right, std::int64_t total, double level);

// An interval for f(p, q), f increasing in both arguments, of independent proportions. What each
// side's Wilson limits move f by is squared and added, separately below and above:
//
//   low = f - sqrt((f - f(p.low, q))^2 + (f - f(p, q.low))^2),   high likewise
//
// For f linear and limits symmetric this is the delta method; unlike it, it stays within [0, 1] and
// has a width where a proportion is 0 or 1.
//
// Zou and Donner, "Construction of confidence limits about effect measures", Stat. Med. 2008.
template <class F>
Interval square_and_add(const F& f, const Proportion& p, const Proportion& q, double level) {
  const double value = f(p.value, q.value);
  const double below = std::hypot(value - f(p.low, q.value), value - f(p.value, q.low));
  const double above = std::hypot(f(p.high, q.value) - value, f(p.value, q.high) - value);
  return {.low = std::max(value - below, f(p.low, q.low)),
          .high = std::min(value + above, f(p.high, q.high)),
          .level = level,
          .method = "square-and-add"};
}

}  // namespace openworld

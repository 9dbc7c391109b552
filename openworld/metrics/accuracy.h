#pragma once

// BaseAcc and NewAcc: closed-set accuracy, each side among its own names only.
//
//   BaseAcc = 1/N_b sum_i 1[g(x_i) = y_i]        NewAcc = 1/N_n sum_j 1[h(x_j) = y_j]
//
// g chooses among the base names and is asked about base samples only, h among the new names and
// about new samples only: neither says whether the two sides can be told apart.
//
// Intervals: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
//
// Zhou et al., "Conditional Prompt Learning for Vision-Language Models", CVPR 2022.

#include <algorithm>
#include <cmath>
#include <optional>

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue base_acc(const Ranking& ranking, const MetricOptions& options = {});
MetricValue new_acc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kBaseAcc;
extern const MetricRow kNewAcc;

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

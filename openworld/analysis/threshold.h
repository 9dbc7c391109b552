#pragma once

// A threshold with a guarantee: MissRate_b <= alpha with confidence 1 - delta, and its rates.
//
// binomial_threshold.h has the theorem. Here it meets the scores: k* misses are allowed, wrong base
// samples are missed at every threshold, and t is put just below the smallest score that would be
// one miss too many. t then depends on the base samples alone. The new and unknown samples are
// independent of it, so their rates have exact (Clopper-Pearson) intervals:
//
//   HitRate     = P(r_n <= t, h right)     new samples passed on and classified right
//   RejectRate  = P(r_u <= t)              unknown samples kept out of the base classes
//
// "Just below" is the next smaller float when the score is one, so that the threshold means the
// same to a program that compares floats.

#include <cstdint>
#include <optional>
#include <string>

#include "openworld/analysis/binomial_threshold.h"
#include "openworld/metrics/ranking.h"
#include "openworld/stats/proportions.h"

namespace openworld {

// A share of a side with its interval.
struct Share {
  std::int64_t count = 0;
  std::int64_t total = 0;
  double value = 0;
  Bounds interval{};
};

// With its Clopper-Pearson interval. REQUIRES: total > 0.
Share share_of(std::int64_t count, std::int64_t total, double level);

// The next smaller number: of a score that is a float, the next smaller float.
double just_below(double score);

struct GuaranteedThreshold {
  MissLimit limit{};
  std::int64_t base = 0;   // base samples
  std::int64_t wrong = 0;  // of them, wrong at every threshold
  std::string refusal{};   // why no threshold has the guarantee; empty when one has
  std::optional<std::int64_t> samples_needed{};  // base samples that would do, when more would

  // The rest is meaningful when there is no refusal.
  double threshold = 0;             // accept as base when r > threshold
  std::int64_t allowed_misses = 0;  // k*
  Share miss{};                     // MissRate_b on these samples
  std::optional<Share> hit{};       // none without new samples
  std::optional<Share> reject{};    // none without unknown samples

  std::optional<BatchPromise> next{};  // of base samples, where a batch was asked for

  bool granted() const { return refusal.empty(); }
};

// Intervals are at limit.confidence. `next`: base samples of a batch to come, 0 for no promise
// about one. Throws Error when there is no base sample or the limit is not one. REQUIRES: the
// ranking has no weights.
GuaranteedThreshold guarantee_threshold(const Ranking& ranking, const MissLimit& limit,
                                        std::int64_t next = 0);

}  // namespace openworld

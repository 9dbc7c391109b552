#pragma once

// Hit rate at miss rate: how many new samples are found and named right when base samples may be
// missed or misnamed at a rate of at most a.
//
//   Hit@a = max { HitRate(t) : MissRate(t) <= a }
//
// over every threshold t, with MissRate(t) = P(r_b <= t or g wrong) and HitRate(t) = P(r_n <= t and
// h right): one point of the curve whose area is OpenworldAUC. A threshold takes a group of equal
// scores as a whole; nothing is interpolated. A base classifier that alone misses more than a
// leaves no threshold: undefined. The threshold reported is the lowest that gives the value.
//
// O(n) time.
//
// Hua et al., "OpenworldAUC: Towards Unified Evaluation and Optimization for Open-world Prompt
// Tuning", ICML 2025, section 4.2.

#include "openworld/metrics/metric.h"

namespace openworld {

// a is options.params[0].
MetricValue hit_at_miss(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kHitAtMiss;

}  // namespace openworld

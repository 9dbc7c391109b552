#pragma once

// Partial OpenworldAUC: the part of the MissRate-HitRate curve at low miss rates.
//
//   openworld_auc_at_{}miss        integral over MissRate <= a of HitRate
//   openworld_auc_at_{}miss_{}hit  integral over MissRate <= a of max(HitRate - b, 0)
//
// where MissRate(t) = P(r_b <= t or g wrong) and HitRate(t) = P(r_n <= t and h right). The curve
// starts at MissRate = 1 - BaseAcc, so the areas are at most a - (1 - BaseAcc), times 1 - b for the
// second; they are raw areas, not rescaled. With a = 1 the first is OpenworldAUC, with b = 0 the
// second is the first. A classifier that alone misses more than a has no such curve: undefined.
//
// Ties as in OpenworldAUC: half draws a straight line through a group of equal scores, cut exactly
// at a and b; strict keeps the lower hit rate until the group is passed.
//
// O(n) time; sums are integers but for the two groups that a and b cut.
//
// After Dodd and Pepe, "Partial AUC estimation and regression", Biometrics 2003, and Yang et al.,
// "Two-way partial AUC and its properties", 2019, on the curve of Hua et al., "OpenworldAUC",
// ICML 2025.

#include "openworld/metrics/metric.h"

namespace openworld {

// a is options.params[0] and b, for the second, options.params[1].
MetricValue partial_openworld_auc(const Ranking& ranking, const MetricOptions& options);
MetricValue two_way_openworld_auc(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kPartialOpenworldAuc;
extern const MetricRow kTwoWayOpenworldAuc;

}  // namespace openworld

#pragma once

// FPR at TPR: how many samples of the other side slip through when the detector is set to keep a
// fraction q of the positives.
//
//   FPR@q = min { FPR(t) : TPR(t) >= q }
//
// over every threshold t. With base samples positive, TPR(t) = P(r_b > t) and FPR(t) = P(r_o > t):
// the usual FPR95 of out-of-distribution detection. With the open side positive, TPR(t) =
// P(r_o <= t) and FPR(t) = P(r_b <= t). Rates are counts over totals in double, so 19 of 20 reach
// 0.95. A threshold takes a group of equal scores as a whole; nothing is interpolated. Some papers
// take the TPR nearest to q instead, which can lie below q.
//
// O(n) time: a vectorised count of codes finds the block of the threshold, a short walk the rank.
//
// Hendrycks and Gimpel, "A Baseline for Detecting Misclassified and Out-of-Distribution Examples",
// ICLR 2017; Liang et al., "ODIN", ICLR 2018, for q = 0.95.

#include "openworld/metrics/metric.h"

namespace openworld {

// q is options.params[0].
MetricValue fpr_at_tpr(const Ranking& ranking, const MetricOptions& options);
MetricValue fpr_at_tpr_new(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kFprAtTpr;
extern const MetricRow kFprAtTprNew;

}  // namespace openworld

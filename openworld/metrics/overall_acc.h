#pragma once

// OverallAcc: accuracy over the base and new samples together, among all names at once.
//
//   OverallAcc = 1/N sum_i 1[argmax of the base and new logits side by side = y_i]
//              = P_b TPR_b + P_n TPR_n,      P_b = N_b / N,  P_n = N_n / N
//
// It moves with the ratio of the sides; sensitivity.h says how. Unknown samples do not take part.
// With samples of one side alone it is the share of them that is right among all names: the
// accuracy of OpenPL's curves, which begin without new classes.
//
// Interval: the sides are fixed strata, so the variance is P_b^2 v_b + P_n^2 v_n, taken from Wilson
// limits by square-and-add (accuracy.h) so that it keeps a width near 0 and 1.
//
// Zhou et al., "DeCoOp: Robust Prompt Tuning with Out-of-Distribution Detection", ICML 2024.

#include "openworld/metrics/metric.h"

namespace openworld {

// Samples of each side that are right among all names.
struct OverallRight {
  std::int64_t base = 0;
  std::int64_t new_side = 0;
};

// REQUIRES: ranking.ranked().has_overall().
OverallRight overall_right(const Ranking& ranking);

MetricValue overall_acc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kOverallAcc;

}  // namespace openworld

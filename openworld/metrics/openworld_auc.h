#pragma once

// OpenworldAUC: detection and both classifications in one number, at every threshold at once.
//
//   OpenworldAUC = 1/(N_b N_n) sum_ij  1[g(x_i) = y_i] 1[h(x_j) = y_j] 1[r_i > r_j]
//
// over base samples i and new samples j: a pair counts only if it is ranked right and both of its
// classes are. It is the area under the MissRate-HitRate curve, it does not move with the ratio of
// base to new samples, and it never exceeds BaseAcc x NewAcc.
//
// Computed by its definition. The authors' code masks wrong samples with scores just outside
// the range of the other side instead, which turns 0 into 1 for a fully inverted detector whose
// classes are all wrong; elsewhere it equals this value with half ties.
//
// Hua et al., "OpenworldAUC: Towards Unified Evaluation and Optimization for Open-world Prompt
// Tuning", ICML 2025, Proposition 4.2.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue openworld_auc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kOpenworldAuc;

}  // namespace openworld

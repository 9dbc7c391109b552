#pragma once

// HM: harmonic mean of BaseAcc and NewAcc.
//
//   HM = 2 BaseAcc NewAcc / (BaseAcc + NewAcc)
//
// and 0, its limit, where both are 0. It does not use r: two models of equal HM may differ
// arbitrarily in how well they separate base from new (Hua et al., ICML 2025, Proposition 3.1).
//
// Interval: square-and-add over the Wilson limits of both sides (accuracy.h). At 95 % it covers
// 94.6 % for accuracies (0.8, 0.7) of 100 samples a side, 93.6 % for (0.99, 0.98) of 50 and 93.9 %
// for (0.9, 0.05) of 30. The delta method on the logit scale covers 95.1 %, 71.6 % and 72.5 %: it
// has no width at 0 and 1.
//
// Xian et al., "Zero-Shot Learning: the Good, the Bad and the Ugly", CVPR 2017.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue hm(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kHm;

}  // namespace openworld

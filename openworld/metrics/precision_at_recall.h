#pragma once

// Precision at recall: of the samples accepted as base, how many are base, when the detector is set
// to accept a fraction q of the base samples.
//
//   p_at_{}r        precision where the recall is nearest to q
//   p_at_{}r_exact  max { precision(t) : recall(t) >= q }
//
// over thresholds t that accept r > t, with recall(t) = P(r_b > t). The first is the published
// rule: over sklearn's precision-recall curve, end point (recall 0, precision 1) included, the
// lowest threshold on ties, and not achieved when the nearest recall is 0.01 or more away. The
// second keeps what its name promises and has no end point: accepting nothing has no precision.
//
// O(n) time.
//
// Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.

#include "openworld/metrics/metric.h"

namespace openworld {

// q is options.params[0].
MetricValue precision_at_recall(const Ranking& ranking, const MetricOptions& options);
MetricValue precision_at_recall_exact(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kPrecisionAtRecall;
extern const MetricRow kPrecisionAtRecallExact;

}  // namespace openworld

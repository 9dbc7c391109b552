#pragma once

// Recall at precision: how many base samples are accepted when the detector is set so that a
// fraction q of the accepted samples are base.
//
//   r_at_{}p        recall where the precision is nearest to q
//   r_at_{}p_exact  max { recall(t) : precision(t) >= q }
//
// over thresholds t that accept r > t. The first is the published rule: over sklearn's
// precision-recall curve, end point (recall 0, precision 1) included, the lowest threshold on ties,
// and not achieved when the nearest precision is 0.01 or more away. Precision is not monotone in t,
// so the nearest point may rest on few accepted samples with a tiny recall. The second has no
// such trap, and is undefined when no threshold that accepts anything reaches q.
//
// O(n) time.
//
// Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.

#include "openworld/metrics/metric.h"

namespace openworld {

// q is options.params[0].
MetricValue recall_at_precision(const Ranking& ranking, const MetricOptions& options);
MetricValue recall_at_precision_exact(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kRecallAtPrecision;
extern const MetricRow kRecallAtPrecisionExact;

}  // namespace openworld

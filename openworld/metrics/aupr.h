#pragma once

// AUPR: area under the precision-recall curve of the detector, with either side as the positive.
//
//   average precision = sum_k (R_k - R_{k-1}) P_k
//
// over the distinct scores s_k from the most positive on, where P_k and R_k are the precision and
// the recall of calling positive all samples at least as positive as s_k. Positive base samples are
// scored by r, positive open ones by -r. The trapezoid variants join the points (R_k, P_k) and the
// end point (0, 1) by straight lines instead; linear interpolation of
// precision-recall is not achievable, so they are optimistic; included because papers report them.
//
// Unlike AUROC, both move with the ratio of the sides: a random detector has an AUPR of the share
// of positives. Equals sklearn.metrics.average_precision_score, and the trapezoids equal
// auc(recall, precision) of precision_recall_curve.
//
// O(n) time without a branch on the data, one vector division for four distinct scores.
//
// Davis and Goadrich, "The relationship between Precision-Recall and ROC curves", ICML 2006.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue aupr_base(const Ranking& ranking, const MetricOptions& options = {});
MetricValue aupr_new(const Ranking& ranking, const MetricOptions& options = {});
MetricValue aupr_base_trapezoid(const Ranking& ranking, const MetricOptions& options = {});
MetricValue aupr_new_trapezoid(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kAuprBase;
extern const MetricRow kAuprNew;
extern const MetricRow kAuprBaseTrapezoid;
extern const MetricRow kAuprNewTrapezoid;

}  // namespace openworld

#pragma once

// Error at TPR: the share of wrong detections when the detector is set to find a fraction q of the
// open side, as open-set recognition reports it.
//
//   Error@q = 1 - accuracy of "open iff -r > s" over all base and open samples
//
// where s is the threshold of the ROC curve of the open score -r whose TPR is nearest to q, the
// lowest one on ties. Two traits of the published rule matter: the curve counts -r >= s as open
// while the decision needs -r > s, so the group at s is called base and the TPR in force can be far
// below q when scores tie; and the value moves with the ratio of the sides, as any accuracy does.
// It is not a false positive rate.
//
// O(n) time. The threshold reported is the largest score below -s: base iff r > t.
//
// Wang et al., "OpenAUC: Towards AUC-Oriented Open-Set Recognition", NeurIPS 2022, appendix, and
// its released code; the rule goes back to Vaze et al., "Open-Set Recognition: a Good Closed-Set
// Classifier is All You Need", ICLR 2022.

#include "openworld/metrics/metric.h"

namespace openworld {

// q is options.params[0].
MetricValue error_at_tpr(const Ranking& ranking, const MetricOptions& options);

extern const MetricRow kErrorAtTpr;

}  // namespace openworld

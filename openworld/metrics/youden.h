#pragma once

// Youden's J for open-set recognition.
//
//   J = TPR + TNR - 1,   TPR = 1/C sum_c TP_c / (TP_c + FN_c),   TNR = 1/C sum_c TN_c / (TN_c +
//   FP_c)
//
// over the closed classes c = 1 .. C with the counts of open_set_counts.h; a class without samples
// has a TP rate of 0, as in the open-set F-score. J lies in [-1, 1] and is not a share. It is the
// maximum over all thresholds, or the value at options.threshold.
//
// With many classes TNR is near 1 and J is near TPR. Like the F-score it does not read the counts
// of the open class (OpenAUC, Proposition 1).
//
// Youden, "Index for rating diagnostic tests", Cancer 1950. The averages over classes are our
// reading of Wang et al., "OpenAUC", NeurIPS 2022, section 3, whose released code has no J.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue youden_j(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kYoudenJ;

}  // namespace openworld

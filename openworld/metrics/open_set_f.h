#pragma once

// Open-set F-score: how well the closed classes are predicted with a reject option.
//
//   macro   P = 1/C sum_c TP_c / (TP_c + FP_c)        R = 1/C sum_c TP_c / (TP_c + FN_c)
//   micro   P = sum_c TP_c / sum_c (TP_c + FP_c)      R = sum_c TP_c / sum_c (TP_c + FN_c)
//   F = 2 P R / (P + R)
//
// over the closed classes c = 1 .. C, a fraction 0/0 being 0; the counts are those of
// open_set_counts.h. The macro score is the F of two means, not the mean of F-scores that
// sklearn.metrics.f1_score(average="macro") gives. The value is the maximum over all thresholds,
// the value at options.threshold, or the maximum over the grid of the released code.
//
// The open class enters only through FP: a model may reject no open sample at all and keep its
// score (OpenAUC, Proposition 1). Both public repositories of the OpenAUC authors have the names
// swapped: their macro pools the counts and their micro averages over classes.
//
// Mendes Junior et al., "Nearest neighbors distance ratio open-set classifier", Mach. Learn. 2017.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue open_f_macro(const Ranking& ranking, const MetricOptions& options = {});
// Needs no classes: only right and wrong.
MetricValue open_f_micro(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kOpenFMacro;
extern const MetricRow kOpenFMicro;

}  // namespace openworld

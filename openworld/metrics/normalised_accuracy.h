#pragma once

// Normalised accuracy: accuracy on known samples and on unknown ones, mixed by lambda.
//
//   AKS = 1/C sum_c (TP_c + TN_c) / (TP_c + TN_c + FP_c + FN_c)     closed classes c = 1 .. C
//   AUS = TP_{C+1} / (TP_{C+1} + FP_{C+1})                          the open class
//   NA  = lambda AKS + (1 - lambda) AUS
//
// with the counts of open_set_counts.h. Every denominator of AKS is the number of samples n, so
// AKS = 1 - (sum FP_c + sum FN_c) / (C n): of the classes only their number is read, and with many
// of them AKS is near 1 whatever the model does. AUS is a precision: it is undefined where nothing
// is rejected, and NA can rise while fewer open samples are found (OpenAUC, Proposition 2).
//
// All three rows report one threshold: options.threshold, else the one that maximises NA.
//
// Mendes Junior et al., "Nearest neighbors distance ratio open-set classifier", Mach. Learn. 2017;
// Wang et al., "OpenAUC", NeurIPS 2022, section 3.

#include "openworld/metrics/metric.h"

namespace openworld {

struct NormalisedAccuracy {
  MetricValue aks;
  MetricValue aus;
  MetricValue na;
};

// The three at one threshold. REQUIRES: 0 <= lambda <= 1.
NormalisedAccuracy normalised_accuracy(const Ranking& ranking, const MetricOptions& options,
                                       double lambda);

inline constexpr double kDefaultLambda = 0.5;

// With lambda = kDefaultLambda.
MetricValue aks(const Ranking& ranking, const MetricOptions& options = {});
MetricValue aus(const Ranking& ranking, const MetricOptions& options = {});
MetricValue normalised_acc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kAks;
extern const MetricRow kAus;
extern const MetricRow kNormalisedAcc;

}  // namespace openworld

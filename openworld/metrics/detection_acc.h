#pragma once

// Detection accuracy: how often base and open samples are told apart at the best threshold, each
// side counting half.
//
//   max over t of (P(r_b > t) + P(r_o <= t)) / 2
//
// over every score t and t = -infinity, so that it is at least 1/2. Called DTACC in code for
// open-set recognition. It is (1 + J) / 2 for Youden's J of the detector.
//
// O(n) time.
//
// Liang et al., "Enhancing The Reliability of Out-of-distribution Image Detection", ICLR 2018.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue detection_acc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kDetectionAcc;

}  // namespace openworld

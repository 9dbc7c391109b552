#pragma once

// OSCR: area under the correct classification rate over the false positive rate.
//
//   CCR(t) = P(r_b > t, g right)     FPR(t) = P(r_o > t)     OSCR = integral of CCR dFPR
//
// for base samples b and open samples o. Exactly computed it is OpenAUC: each open sample
// contributes the right base samples above it. Under half ties it is the trapezoid through every
// distinct threshold, under strict ties the lower step function.
//
// The most copied script sums a slice per threshold (quadratic), counts one rate at-or-above and
// the other strictly above the threshold, and pins the end of the curve at CCR = 1; it is not that
// area.
//
// Dhamija et al., "Reducing Network Agnostophobia", NeurIPS 2018.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue oscr(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kOscr;

}  // namespace openworld

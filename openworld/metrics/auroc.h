#pragma once

// AUROC: how well r separates base samples from the open side.
//
//   AUROC = P(r_b > r_o) + 1/2 P(r_b = r_o)
//
// for a random base sample b and a random sample o of the open side. It says nothing about which
// class is predicted. With the sides swapped it becomes 1 - AUROC under half ties.
//
// Hanley and McNeil, "The meaning and use of the area under a ROC curve", Radiology 1982.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue auroc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kAuroc;

}  // namespace openworld

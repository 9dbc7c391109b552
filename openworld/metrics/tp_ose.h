#pragma once

// TP and OSE: how many answers are right, and how many should not have been given.
//
//   TP  = #{base samples with r > t whose class is right}
//   OSE = #{open samples with r > t}                        open-set errors
//
// at t = options.threshold; without one every sample is accepted, which is what a model without a
// reject option does. Counts, not shares: compare them on one test set only.
//
// Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.

#include "openworld/metrics/metric.h"

namespace openworld {

MetricValue tp_count(const Ranking& ranking, const MetricOptions& options = {});
MetricValue ose_count(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kTpCount;
extern const MetricRow kOseCount;

}  // namespace openworld

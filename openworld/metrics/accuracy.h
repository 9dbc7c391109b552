#pragma once

// BaseAcc and NewAcc: closed-set accuracy, each side among its own names only.
//
//   BaseAcc = 1/N_b sum_i 1[g(x_i) = y_i]        NewAcc = 1/N_n sum_j 1[h(x_j) = y_j]
//
// g chooses among the base names and is asked about base samples only, h among the new names and
// about new samples only: neither measures how well the two sides can be separated.
//
// Intervals: Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
//
// Zhou et al., "Conditional Prompt Learning for Vision-Language Models", CVPR 2022.

#include <optional>

#include "openworld/metrics/metric.h"
#include "openworld/stats/proportions.h"

namespace openworld {

MetricValue base_acc(const Ranking& ranking, const MetricOptions& options = {});
MetricValue new_acc(const Ranking& ranking, const MetricOptions& options = {});

// Wilson's interval of right among total; none without any.
std::optional<Interval> wilson_accuracy(std::int64_t right, std::int64_t total, double level);

extern const MetricRow kBaseAcc;
extern const MetricRow kNewAcc;

}  // namespace openworld

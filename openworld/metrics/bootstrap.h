#pragma once

// Stratified bootstrap intervals for any metric, from one sort.
//
// A resample keeps the number of base, new and unknown samples (the sides of a test set are chosen,
// not drawn) and redraws the samples of each. It is a vector of counts over the sorted order, so a
// replicate is a walk, not a sort. stats/replicates.h has the intervals.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "openworld/metrics/metric.h"
#include "openworld/stats/replicates.h"

namespace openworld {

// A statistic of a (reweighted) test set; NaN where it is undefined.
using Statistic = std::function<double(const Ranking&)>;

// One result per statistic.
std::vector<BootstrapResult> bootstrap(const RankedScores& ranked,
                                       std::span<const Statistic> statistics,
                                       const BootstrapOptions& options);

// The pieces, for statistics of more than one ranking (paired comparisons).

// Strata of the samples in the order of the ranking: 0 base, 1 new, 2 unknown.
std::vector<std::uint8_t> strata_by_rank(const RankedScores& ranked);

// The same in the order of the rows, for rankings that share their rows but not their order.
std::vector<std::uint8_t> strata_by_row(const Outcomes& outcomes);

// Weights of rows carried to the order of a ranking that keeps it.
void weights_by_rank(std::span<const std::uint8_t> by_row, const RankedScores& ranked,
                     std::vector<std::uint8_t>& by_rank);

}  // namespace openworld

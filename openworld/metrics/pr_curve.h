#pragma once

// The precision-recall curve with base samples as the positives, point by point.
//
// The threshold t accepts r > t, so t = -infinity accepts all and the largest score accepts
// nothing, where precision is 1 by convention: the end point that
// sklearn.metrics.precision_recall_curve appends. Its score >= s is r > t for the t before s.

#include <cstddef>
#include <cstdint>

#include "openworld/metrics/two_sides.h"

namespace openworld {

struct PrPoint {
  std::size_t rank = Ranking::kBeforeAll;  // of the threshold t
  std::int64_t accepted = 0;               // base and open samples with r > t
  double precision = 0;
  double recall = 0;
};

// f(point) for each threshold, ascending, until f returns false. REQUIRES: !sides.empty().
template <class F>
void for_each_pr_point(const Ranking& ranking, const TwoSides& sides, F&& f) {
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    const std::int64_t tp = sides.base - below.base();
    const std::int64_t accepted = tp + sides.other - below.open(sides.open);
    const auto right = static_cast<double>(tp);
    const double precision = accepted > 0 ? right / static_cast<double>(accepted) : 1.0;
    return f(PrPoint{rank, accepted, precision, right / static_cast<double>(sides.base)});
  });
}

}  // namespace openworld

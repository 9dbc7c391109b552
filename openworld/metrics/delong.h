#pragma once

// Variances of two-sample U-statistics from the one sort (DeLong, DeLong and Clarke-Pearson,
// Biometrics 1988, extended from AUROC to any PairKernel).
//
// With placements  V_i = a_i / N_o * sum_j b_j phi(r_i, r_j)   of base samples and
//                  W_j = b_j / N_b * sum_i a_i phi(r_i, r_j)   of other samples,
//
//   Var(U) = S_V^2 / N_b + S_W^2 / N_o
//
// with sample variances over all samples of a side; those that the kernel leaves out have placement
// zero. A wrong class is random too, and this is where its share of the variance comes from.
//
// O(n) over the order for up to four kernels at once: about a fifth of the cost of the sort.

#include <span>
#include <vector>

#include "openworld/metrics/pair_kernel.h"

namespace openworld {

struct UStatistic {
  PairKernel kernel;
  Ties ties;
};

// The variance of each statistic on the whole sample, in order. REQUIRES: the ranking has no
// weights, and both sides of each kernel have at least two samples.
std::vector<double> delong_variances(const Ranking& ranking,
                                     std::span<const UStatistic> statistics);

// The placements themselves, in row order, for comparing models on the same samples; entries of
// samples of neither side are zero. REQUIRES: the order was kept.
std::vector<double> placements(const Ranking& ranking, const UStatistic& statistic);

// An interval for a value in (0, 1) with the given variance, symmetric on the logit scale so that
// it stays inside. REQUIRES: 0 < value < 1 and variance > 0.
void logit_interval(double value, double variance, double level, double& low, double& high);

}  // namespace openworld

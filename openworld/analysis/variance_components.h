#pragma once

// What the variance of a metric consists of, so that it can be predicted at other sizes.
//
// A metric of one model on N_b base and N_o open samples has, with the influence of a sample
// (its placement, see delong.h, for pair metrics; the slope times right or wrong for accuracies and
// their functions) and to second order for pair metrics,
//
//   Var = S_b / N_b + S_o / N_o + S_bo / (N_b N_o)
//
// The sample variances of DeLong's placements hold S_b + S_bo / N_o and S_o + S_bo / N_b. S_bo is
// the residual mean square of the N_b x N_o table of pairs, which the counts of pairs give without
// the table, so all three are unbiased (two-way analysis of variance).
//
// With models of several seeds on the same test samples, each S is split in what all seeds have in
// common (the covariance of influences of different seeds) and what a seed has of its own, which a
// mean over seeds divides. The pair term is counted as a seed's own. The variance over seeds on
// unlimited samples is the variance between the seeds' values minus the own part of the samples, or
// 0 where that is negative.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

// Per sample of a side.
struct SideVariance {
  std::int64_t samples = 0;   // of the pilot
  double shared = 0;          // what all seeds have in common; all of it with one seed
  double own = 0;             // what a seed has of its own
  double relative_error = 0;  // standard error of the pilot's estimate, relative to it

  // `variance` over the pilot's samples; 0 for a side that the metric does not read.
  double per_sample(double variance) const {
    return samples > 0 ? variance / static_cast<double>(samples) : 0;
  }
};

struct VarianceComponents {
  MetricRequest request;
  Side open = Side::kNew;  // the side beside base
  std::size_t seeds = 0;   // of the pilot
  double value = 0;        // mean over seeds
  SideVariance base{}, other{};
  double pairs = 0;    // S_bo
  double seed = 0;     // over seeds, on unlimited samples
  double between = 0;  // over seeds, as seen on the pilot's samples
};

// One run per seed, on the same samples; `names` are theirs in messages. Options give ties and the
// open side. Throws Error as [samplesize] for a metric without components, an undefined one, a side
// of fewer than two samples, runs on different samples, and an estimated variance of zero.
VarianceComponents variance_components(std::span<const Outcomes> runs,
                                       std::span<const std::string> names,
                                       const MetricRequest& request,
                                       const EvalOptions& options = {});

// Names of the metrics that have components, in the order of the table.
std::vector<std::string> metrics_with_components();

}  // namespace openworld

#pragma once

// Two-sample U-statistics over (base sample i, other sample j):
//
//   U = 1 / (N_b N_o) * sum_ij  a_i b_j phi(r_i, r_j)
//
// where a_i and b_j are 0 or 1 by the kind of the sample, and phi is 1[r_i > r_j], plus one half
// where r_i = r_j under half ties. N_b and N_o count every sample of the two sides, chosen by a and
// b or not. AUROC, OpenAUC and OpenworldAUC differ only in a and b.

#include <cstdint>

#include "openworld/metrics/ranking.h"

namespace openworld {

// How pairs of equal scores count: not at all, as the papers define it, or one half, as their code
// and every library reports it.
enum class Ties { kStrict, kHalf };

struct PairKernel {
  Side open;                 // the side of the other samples: kNew or kUnknown
  bool base_must_be_right;   // a_i = 1 only where g was right
  bool other_must_be_right;  // b_j = 1 only where h was right; unknown samples have no right

  bool takes_base(Kind kind) const {
    return kind == kBaseRight || (kind == kBaseWrong && !base_must_be_right);
  }
  bool takes_other(Kind kind) const {
    if (open == Side::kUnknown) return kind == kUnknownKind;
    return kind == kNewRight || (kind == kNewWrong && !other_must_be_right);
  }
};

// sum_ij a_i b_j phi(r_i, r_j), in units of half a pair so that it is an integer.
std::int64_t half_pairs(const PairCounts& pairs, const PairKernel& kernel, Ties ties);

struct MetricValue;

// U, or undefined with the empty side named.
MetricValue pair_mean(const Ranking& ranking, const PairKernel& kernel, Ties ties);

}  // namespace openworld

#include "openworld/metrics/pair_kernel.h"

#include <fmt/format.h>

#include "openworld/metrics/metric.h"

namespace openworld {

std::int64_t half_pairs(const PairCounts& pairs, const PairKernel& kernel, Ties ties) {
  std::int64_t sum = 0;
  for (const Kind base : {kBaseWrong, kBaseRight}) {
    for (const Kind other : {kNewWrong, kNewRight, kUnknownKind}) {
      if (!kernel.takes_base(base) || !kernel.takes_other(other)) continue;
      sum += 2 * pairs.wins[base][other];
      if (ties == Ties::kHalf) sum += pairs.ties[base][other];
    }
  }
  return sum;
}

MetricValue pair_mean(const Ranking& ranking, const PairKernel& kernel, Ties ties) {
  const KindCounts& totals = ranking.totals();
  if (totals.base() == 0) return undefined("no base samples");
  if (totals.open(kernel.open) == 0) {
    return undefined(fmt::format("no {} samples", side_name(kernel.open)));
  }
  const double sum = 0.5 * static_cast<double>(half_pairs(ranking.pairs(), kernel, ties));
  return {.value = sum / (static_cast<double>(totals.base()) *
                          static_cast<double>(totals.open(kernel.open)))};
}

}  // namespace openworld

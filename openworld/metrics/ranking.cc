#include "openworld/metrics/ranking.h"

#include <cassert>
#include <limits>

namespace openworld {
Ranking::Ranking(const RankedScores& ranked, std::span<const std::uint8_t> weights)
    : ranked_(&ranked), weights_(weights) {
  if (weights.empty()) {
    totals_ = ranked.totals();
    return;
  }
  assert(weights.size() == ranked.size());
  totals_ = weigh_kinds(ranked.codes(), weights);
}

const PairCounts& Ranking::pairs() const {
  if (!pairs_) pairs_ = count_pairs(codes(), weights_);
  return *pairs_;
}

double Ranking::threshold(std::size_t rank) const {
  if (rank == kBeforeAll) return -std::numeric_limits<double>::infinity();
  return ranked_->score(rank);
}

}  // namespace openworld

#include "openworld/metrics/bootstrap.h"

namespace openworld {

std::vector<std::uint8_t> strata_by_rank(const RankedScores& ranked) {
  std::vector<std::uint8_t> strata(ranked.size());
  for (std::size_t i = 0; i < strata.size(); ++i) strata[i] = (ranked.codes()[i] & kKindMask) / 2;
  return strata;
}

std::vector<std::uint8_t> strata_by_row(const Outcomes& outcomes) {
  std::vector<std::uint8_t> strata(outcomes.size());
  for (std::size_t i = 0; i < strata.size(); ++i) {
    strata[i] = static_cast<std::uint8_t>(outcomes.side[i] < 0 ? 2 : outcomes.side[i]);
  }
  return strata;
}

void weights_by_rank(std::span<const std::uint8_t> by_row, const RankedScores& ranked,
                     std::vector<std::uint8_t>& by_rank) {
  by_rank.resize(by_row.size());
  const auto order = ranked.order();
  for (std::size_t i = 0; i < order.size(); ++i) by_rank[i] = by_row[order[i]];
}

std::vector<BootstrapResult> bootstrap(const RankedScores& ranked,
                                       std::span<const Statistic> statistics,
                                       const BootstrapOptions& options) {
  const Resampler resampler(strata_by_rank(ranked), options.seed);
  const auto evaluate = [&](std::span<const std::uint8_t> weights, std::span<double> values) {
    const Ranking ranking(ranked, weights);
    for (std::size_t s = 0; s < statistics.size(); ++s) values[s] = statistics[s](ranking);
  };
  const Replicates replicates = replicate(resampler, statistics.size(), evaluate, options);
  std::vector<BootstrapResult> results;
  const Ranking whole(ranked);
  for (std::size_t s = 0; s < statistics.size(); ++s) {
    results.push_back(interval_from_replicates(statistics[s](whole), replicates, s, options));
  }
  return results;
}

}  // namespace openworld

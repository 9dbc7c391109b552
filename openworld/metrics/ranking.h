#pragma once

// Ranking: a ranked test set as metrics see it, either as it is or reweighted.
//
// A bootstrap resample is the same order with a count per sample, so a metric written once against
// Ranking gives the point estimate and every resample. Samples of weight zero are ignored: a
// group of equal scores without weight is not a threshold.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "openworld/metrics/pair_counts.h"
#include "openworld/metrics/ranked_scores.h"

namespace openworld {

class Ranking {
 public:
  // Views; `ranked` and `weights` outlive this object. Empty weights: every sample once.
  explicit Ranking(const RankedScores& ranked, std::span<const std::uint8_t> weights = {});

  const RankedScores& ranked() const { return *ranked_; }
  std::span<const std::uint8_t> codes() const { return ranked_->codes(); }
  std::span<const std::uint8_t> weights() const { return weights_; }
  const KindCounts& totals() const { return totals_; }

  // Pairs by kind, counted on first use. Not for use by several threads at once.
  const PairCounts& pairs() const;

  // f(rank, counts) for each group of equal scores, ascending; `rank` is the group's last rank and
  // `counts` its samples by kind.
  template <class F>
  void for_each_group(F&& f) const;

  // f(rank, below) for each threshold t that is a score, ascending: `below` counts the samples with
  // r <= t. Before them comes t = -infinity as f(kBeforeAll, {}). f returns false to stop.
  static constexpr std::size_t kBeforeAll = static_cast<std::size_t>(-1);
  template <class F>
  void for_each_threshold(F&& f) const;

  // The threshold at a rank: its score, or -infinity for kBeforeAll.
  double threshold(std::size_t rank) const;

 private:
  const RankedScores* ranked_;
  std::span<const std::uint8_t> weights_;
  KindCounts totals_;
  mutable std::optional<PairCounts> pairs_;
};

template <class F>
void Ranking::for_each_group(F&& f) const {
  const auto codes = this->codes();
  KindCounts group;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::int64_t weight = weights_.empty() ? 1 : weights_[i];
    group.of[codes[i] & kKindMask] += weight;
    size += weight;
    if (codes[i] & kLastOfTie) {
      if (size > 0) f(i, static_cast<const KindCounts&>(group));
      group = {};
      size = 0;
    }
  }
}

template <class F>
void Ranking::for_each_threshold(F&& f) const {
  const auto codes = this->codes();
  KindCounts below;
  if (!f(kBeforeAll, static_cast<const KindCounts&>(below))) return;
  std::int64_t size = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::int64_t weight = weights_.empty() ? 1 : weights_[i];
    below.of[codes[i] & kKindMask] += weight;
    size += weight;
    if (codes[i] & kLastOfTie) {
      if (size > 0 && !f(i, static_cast<const KindCounts&>(below))) return;
      size = 0;
    }
  }
}

}  // namespace openworld

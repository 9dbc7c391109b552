#include "openworld/analysis/image_ranking.h"

#include <algorithm>

#include "openworld/metrics/auroc.h"
#include "openworld/metrics/delong.h"

namespace openworld {

ImageRanking::ImageRanking(std::vector<std::uint8_t> positive, std::vector<double> score,
                           std::vector<std::uint32_t> image, std::size_t images)
    : images_(images), score_(std::move(score)), image_(std::move(image)) {
  rank(positive);
}

void ImageRanking::rank(const std::vector<std::uint8_t>& positive) {
  for (const std::uint8_t is_positive : positive) {
    side_.push_back(static_cast<std::int8_t>(is_positive ? Side::kBase : Side::kUnknown));
  }
  positives_ = std::count(side_.begin(), side_.end(), static_cast<std::int8_t>(Side::kBase));
  if (side_.empty()) return;
  right_.assign(side_.size(), 1);
  Outcomes outcomes;
  outcomes.side = side_;
  outcomes.score = BaseScores::larger_is_base(std::span<const double>(score_));
  outcomes.correct = right_;
  ranked_ = std::make_unique<RankedScores>(outcomes, RankedScores::Keep::kOrder);
  for (const std::uint32_t row : ranked_->order()) image_by_rank_.push_back(image_[row]);
}

void ImageRanking::weights_by_rank(std::span<const std::uint8_t> by_image,
                                   std::vector<std::uint8_t>& by_rank) const {
  by_rank.resize(image_by_rank_.size());
  for (std::size_t i = 0; i < by_rank.size(); ++i) by_rank[i] = by_image[image_by_rank_[i]];
}

std::vector<double> ImageRanking::auroc_influence() const {
  const Ranking ranking(*ranked_);
  const MetricOptions options{.open = Side::kUnknown};
  const double value = auroc(ranking, options).value;
  const UStatistic statistic{kAuroc.kernel(Side::kUnknown), *kAuroc.ties};
  const std::vector<double> placed = placements(ranking, statistic);
  std::vector<double> influence(images_);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const bool positive = side_[i] == static_cast<std::int8_t>(Side::kBase);
    influence[image_[i]] +=
        (placed[i] - value) / static_cast<double>(positive ? positives() : errors());
  }
  return influence;
}

}  // namespace openworld

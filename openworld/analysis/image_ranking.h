#pragma once

// ImageRanking: true positives against errors, ranked by one uncertainty, and the image that each
// came from. Classifiers and detectors are tested on the open set with it.
//
// One image can give several of them, which are not independent: an image that is easy to name is
// often easy to name wrongly. So whatever estimates an error here
// counts images, not samples: the bootstrap draws images, and the variance of the AUROC is that of
// clustered data (Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics
// 1997), which is DeLong's where every image gives one sample.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "openworld/metrics/ranking.h"

namespace openworld {

class ImageRanking {
 public:
  // `positive` is 1 for true positives, whose side is base, and 0 for errors, whose side is
  // unknown; larger scores are more certain. `image` of each sample is below `images`.
  ImageRanking(std::vector<std::uint8_t> positive, std::vector<double> score,
               std::vector<std::uint32_t> image, std::size_t images);

  // Numbers of samples.
  std::int64_t positives() const { return positives_; }
  std::int64_t errors() const { return static_cast<std::int64_t>(side_.size()) - positives_; }

  // REQUIRES: there are samples.
  const RankedScores& ranked() const { return *ranked_; }
  std::size_t images() const { return images_; }
  std::span<const std::uint32_t> image() const { return image_; }

  // Weights of images carried to the order of the ranking.
  void weights_by_rank(std::span<const std::uint8_t> by_image,
                       std::vector<std::uint8_t>& by_rank) const;

  // The influence of each image on the AUROC: their sum is 0, and the sum of their squares times
  // N / (N - 1) the variance. REQUIRES: there are samples of both sides.
  std::vector<double> auroc_influence() const;

 private:
  void rank(const std::vector<std::uint8_t>& positive);

  std::size_t images_;
  std::int64_t positives_ = 0;
  std::vector<double> score_;
  std::vector<std::uint32_t> image_;  // of each sample
  std::vector<std::int8_t> side_;
  std::vector<std::uint8_t> right_;
  std::unique_ptr<RankedScores> ranked_;
  std::vector<std::uint32_t> image_by_rank_;
};

}  // namespace openworld

#pragma once

// The twelve numbers and the AP of every category under weights of images: what a bootstrap over
// images evaluates a thousand times.
//
// Matching depends on one image at a time, so a resample keeps the matches and the order of scores
// and counts each detection as often as its image was drawn: one walk over the detections, in which
// those that count alike at every threshold cost one addition. On the size of COCO's val2017 with
// 500,000 detections a resample takes a few milliseconds.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "openworld/detection/coco_stats.h"
#include "openworld/stats/replicates.h"

namespace openworld {

class CocoResampling {
 public:
  // Views; both outlive this object. REQUIRES: COCO's own area ranges and limits.
  CocoResampling(const std::vector<CategoryMatches>& matches, const CocoParams& params);

  // Twelve numbers, then AP by category.
  std::size_t statistics() const { return kCocoStats + matches_.size(); }

  // Fills them for images drawn `weights` times; NaN where undefined. For any number of threads.
  void evaluate(std::span<const std::uint8_t> weights, std::span<double> values) const;

 private:
  struct Sums;
  void add_category(std::size_t k, std::span<const std::uint8_t> weights, Sums& sums,
                    double& category_ap) const;

  const std::vector<CategoryMatches>& matches_;
  const CocoParams& params_;
};

// Intervals of statistics() of one set of detections, by resampling `images` images.
std::vector<BootstrapResult> coco_intervals(const CocoResampling& resampling, std::size_t images,
                                            const BootstrapOptions& options);

// A difference of two detectors on the same images, second less first.
struct CocoDifference {
  double first = 0, second = 0, difference = 0;  // NaN where undefined
  BootstrapResult bootstrap;
  double p_value = 1;  // two-sided, of no difference
};

// One per statistic.
std::vector<CocoDifference> coco_differences(const CocoResampling& first,
                                             const CocoResampling& second, std::size_t images,
                                             const BootstrapOptions& options);

}  // namespace openworld

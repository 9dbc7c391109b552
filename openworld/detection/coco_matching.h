#pragma once

// Which detections match which objects, as pycocotools decides it.
//
// Per image and category the best detections by score (max_dets.back() of them; equal scores in the
// order of the file) are matched one after the other: each takes the free object with the largest
// IoU at or above the threshold, an object that counts before one that is ignored. Crowds, and
// objects whose area lies outside of the area range, are ignored: what matches them counts neither
// way, and a crowd matches any number. Unmatched detections outside of the range are ignored too.
// One quirk is kept: a detection matched to the annotation with id 0 counts as unmatched, because
// pycocotools reads 0 as "no match".
//
// O(D log D + pairs of detections and objects of one image and category). Memory: 80 bytes a
// detection. The same bits for any number of threads.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "openworld/detection/coco.h"

namespace openworld {

struct CocoParams {
  CocoParams();  // COCO's own

  IouType type = IouType::kBox;
  std::vector<double> iou_thresholds;                 // 0.5, 0.55, ... 0.95; 64 at most
  std::vector<double> recall_thresholds;              // 0, 0.01, ... 1
  std::vector<std::array<double, 2>> area_ranges;     // all, small, medium, large
  std::vector<std::int64_t> max_dets = {1, 10, 100};  // ascending
  bool use_categories = true;                         // false: all are one, as for proposals
  std::vector<std::uint32_t> images;                  // indices, ascending; empty: all
  std::vector<std::uint32_t> categories;              // the same
  int threads = 0;                                    // 0: every core
};

// The detections of one category among the max_dets.back() best of their images, in descending
// order of score, with what matching made of them. Bit t of a word belongs to threshold t.
struct CategoryMatches {
  struct Verdicts {
    std::vector<std::uint64_t> matched;  // to an object
    std::vector<std::uint64_t> ignored;
    // (image, number of objects that count), for images with any.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> objects;
  };

  std::vector<double> score;
  std::vector<std::uint32_t> image;
  std::vector<std::uint32_t> rank;  // among those of its image
  std::vector<Verdicts> by_area;
};

// One entry per category of the params. Throws Error for params that cannot be used.
std::vector<CategoryMatches> match_detections(const CocoAnnotations& annotations,
                                              const CocoResults& results, const CocoParams& params);

}  // namespace openworld

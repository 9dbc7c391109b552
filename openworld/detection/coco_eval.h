#pragma once

// COCO's average precision and recall, to the last digit of pycocotools.
//
// Per image and category the best detections by score (max_dets.back() of them; equal scores in the
// order of the file) are matched one after the other: each takes the free object with the largest
// IoU at or above the threshold, an object that counts before one that is ignored. Crowds, and
// objects whose area lies outside of the area range, are ignored: what matches them counts neither
// way, and a crowd matches any number. Unmatched detections outside of the range are ignored too.
// Over all images, detections in descending order of score (equal scores in the order of the
// images' ids) give
//
//   recall = TP / objects     precision = TP / (TP + FP + 2^-52)
//
// Precision is made monotone from the right and read at 101 recalls (the first point that reaches
// each; 0 beyond the last). AP is the mean over recalls, thresholds and categories with objects; AR
// the mean of the largest recalls. One quirk is kept: a detection matched to the annotation with
// id 0 counts as unmatched, because pycocotools reads 0 as "no match".
//
// O(D log D + pairs of detections and objects of one image and category). Memory: 80 bytes a
// detection. The same bits for any number of threads.
//
// Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014; the reference is pycocotools.

#include <array>
#include <cstddef>
#include <cstdint>
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

// What pycocotools calls eval: -1 where a category has no objects in an area range.
struct CocoEvaluation {
  std::size_t thresholds = 0, recalls = 0, categories = 0, areas = 0, limits = 0;
  std::vector<double> precision;  // [thresholds, recalls, categories, areas, limits]
  std::vector<double> recall;     // [thresholds, categories, areas, limits]
  std::vector<double> scores;     // as precision
};

CocoEvaluation accumulate(const std::vector<CategoryMatches>& matches, const CocoParams& params);

// The mean of the entries above -1, summed in pairs as NumPy does; -1 where there are none.
// Thresholds: all, or the one at `threshold`; categories: all, or the one at `category`.
inline constexpr std::size_t kAllOf = static_cast<std::size_t>(-1);
double mean_precision(const CocoEvaluation& evaluation, std::size_t area, std::size_t limit,
                      std::size_t threshold = kAllOf, std::size_t category = kAllOf);
double mean_recall(const CocoEvaluation& evaluation, std::size_t area, std::size_t limit,
                   std::size_t threshold = kAllOf, std::size_t category = kAllOf);

}  // namespace openworld

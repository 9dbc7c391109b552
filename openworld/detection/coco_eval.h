#pragma once

// COCO's average precision and recall, to the last digit of pycocotools.
//
// Over all images, detections as coco_matching.h matches them, in descending order of score (equal
// scores in the order of the images' ids), give
//
//   recall = TP / objects     precision = TP / (TP + FP + 2^-52)
//
// Precision is made monotone from the right and read at 101 recalls (the first point that reaches
// each; 0 beyond the last). AP is the mean over recalls, thresholds and categories with objects; AR
// the mean of the largest recalls. The same bits for any number of threads.
//
// Lin et al., "Microsoft COCO: Common Objects in Context", ECCV 2014; the reference is pycocotools.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "openworld/detection/coco_matching.h"

namespace openworld {

// What pycocotools calls eval: -1 where a category has no objects in an area range.
struct CocoEvaluation {
  std::size_t thresholds = 0, recalls = 0, categories = 0, areas = 0, limits = 0;
  std::vector<double> precision;  // [thresholds, recalls, categories, areas, limits]
  std::vector<double> recall;     // [thresholds, categories, areas, limits]
  std::vector<double> scores;     // as precision

  // What kForMeans left out: limits of precision before this one, and all categories but these.
  std::size_t first_limit = 0;
  std::vector<std::size_t> kept{};
};

// Which of the arrays are needed. With COCO's parameters a category takes 194 KB of kAll and, if it
// has objects, 33 KB of kForMeans, which has what mean_recall and mean_precision at the last limit
// read.
enum class CocoArrays { kAll, kForMeans };

CocoEvaluation accumulate(const std::vector<CategoryMatches>& matches, const CocoParams& params,
                          CocoArrays arrays = CocoArrays::kAll);

// The bytes of kForMeans.
std::uint64_t means_bytes(const std::vector<CategoryMatches>& matches, const CocoParams& params);

// The mean of the entries above -1, summed in pairs as NumPy does; -1 where there are none.
// Thresholds: all, or the one at `threshold`; categories: all, or the one at `category`.
inline constexpr std::size_t kAllOf = static_cast<std::size_t>(-1);
double mean_precision(const CocoEvaluation& evaluation, std::size_t area, std::size_t limit,
                      std::size_t threshold = kAllOf, std::size_t category = kAllOf);
double mean_recall(const CocoEvaluation& evaluation, std::size_t area, std::size_t limit,
                   std::size_t threshold = kAllOf, std::size_t category = kAllOf);

}  // namespace openworld

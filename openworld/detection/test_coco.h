#pragma once

// Small ground truth and detections for tests, built in place.

#include <string>
#include <vector>

#include "openworld/detection/coco_reader.h"
#include "openworld/detection/coco_stats.h"

namespace openworld {

inline JsonInput json_input(std::string text, std::string name = "file.json") {
  return {{"detect", std::move(name)}, make_bytes(std::move(text))};
}

// Images 1 to `images`, categories 1 to `categories`, of 100 x 100 pixels.
inline CocoAnnotations empty_truth(int images, int categories) {
  CocoAnnotations truth;
  for (int i = 1; i <= images; ++i) truth.images.push_back({i, 100, 100, ""});
  for (int k = 1; k <= categories; ++k) truth.categories.push_back({k, "c" + std::to_string(k)});
  return truth;
}

inline void add_object(CocoAnnotations& truth, std::uint32_t image, std::uint32_t category, Box box,
                       bool crowd = false) {
  truth.objects.push_back({static_cast<std::int64_t>(truth.objects.size() + 1), image, category,
                           box, box.area(), crowd});
}

inline std::array<double, kCocoStats> stats_of(const CocoAnnotations& truth,
                                               const CocoResults& results, int threads = 1) {
  CocoParams params;
  params.threads = threads;
  return coco_stats(accumulate(match_detections(truth, results, params), params), params);
}

}  // namespace openworld

#pragma once

// All of COCO's evaluation of one set of detections: the twelve numbers and the AP of every
// category, with intervals from a bootstrap over images.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/detection/coco_resampling.h"
#include "openworld/metrics/measured_value.h"

namespace openworld {

struct CategoryEvaluation {
  std::int64_t id = 0;
  std::string name;
  std::int64_t objects = 0;  // without crowds
  std::int64_t detections = 0;
  MeasuredValue ap{};
  MeasuredValue ap50{};  // without an interval
};

struct DetectionEvaluation {
  std::int64_t images = 0;
  std::int64_t objects = 0;  // with crowds
  std::int64_t crowds = 0;
  std::int64_t detections = 0;
  std::array<double, kCocoStats> stats{};           // -1 where undefined, as in pycocotools
  std::array<MeasuredValue, kCocoStats> metrics{};  // the same, undefined with the reason
  std::vector<CategoryEvaluation> categories;
  std::vector<std::string> notes;  // what a reader of the numbers should know
};

// Throws Error unless what is kept for each category fits the memory that the annotations may take
// (io/memory_limit.h): a few bytes name a category that takes 33 KB, and 8 KB of its bootstrap.
void request_category_memory(const CocoAnnotations& annotations,
                             const std::vector<CategoryMatches>& matches, const CocoParams& params,
                             bool bootstrap);

// REQUIRES: `matches` were made from the annotations and results with COCO's own `params`.
// Intervals where `bootstrap` is given.
DetectionEvaluation evaluate_detections(const CocoAnnotations& annotations,
                                        const CocoResults& results,
                                        const std::vector<CategoryMatches>& matches,
                                        const CocoParams& params,
                                        const std::optional<BootstrapOptions>& bootstrap);

// One of COCO's numbers, which are -1 where undefined, with its interval where there is a
// `bootstrap`.
MeasuredValue measured_stat(double value, const std::string& why, const BootstrapResult* bootstrap);

// What describes detection metrics, for `ls metrics`: the twelve numbers, then the counts of the
// open-set test.
std::vector<const MetricInfo*> detection_metric_table();

}  // namespace openworld

#pragma once

// COCO's twelve numbers: one row each, in COCO's order, with where it is read in an evaluation.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/detection/coco_eval.h"
#include "openworld/metrics/metric_info.h"

namespace openworld {

inline constexpr std::size_t kCocoStats = 12;

enum class CocoArea : std::size_t { kAll, kSmall, kMedium, kLarge };

struct CocoStatRow {
  MetricInfo info;
  bool is_precision = true;  // else recall
  double iou = 0;            // 0: the mean over all thresholds
  CocoArea area = CocoArea::kAll;
  std::size_t limit = 2;  // index into max_dets
};

std::span<const CocoStatRow, kCocoStats> coco_stat_table();

std::string_view coco_area_name(CocoArea area);

// The twelve numbers under COCO's own params, -1 where undefined, as pycocotools' stats.
// REQUIRES: `evaluation` was made with `params`, which have the area ranges and limits of COCO.
std::array<double, kCocoStats> coco_stats(const CocoEvaluation& evaluation,
                                          const CocoParams& params);

// Why a statistic is undefined: "no objects with a small area".
std::string coco_why_undefined(const CocoStatRow& row);

// One line of pycocotools' summarize().
std::string coco_summary_line(const CocoStatRow& row, const CocoParams& params, double value);

}  // namespace openworld

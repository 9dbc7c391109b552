#include "openworld/detection/coco_stats.h"

#include <fmt/format.h>

#include <algorithm>

namespace openworld {
namespace {

constexpr std::string_view kCitation =
    "Lin et al., Microsoft COCO: Common Objects in Context, ECCV 2014";

constexpr MetricInfo info(std::string_view name, std::string_view aliases, std::string_view title,
                          std::string_view brief) {
  return {.name = name,
          .aliases = aliases,
          .family = "detection",
          .title = title,
          .brief = brief,
          .citation = kCitation};
}

constexpr CocoStatRow kRows[kCocoStats] = {
    {.info = info("coco_ap", "ap,map", "AP",
                  "average precision over IoU 0.50:0.95 and categories, up to 100 detections")},
    {.info = info("coco_ap50", "ap50,map50", "AP50", "the same at an IoU of 0.50"), .iou = 0.5},
    {.info = info("coco_ap75", "ap75", "AP75", "the same at an IoU of 0.75"), .iou = 0.75},
    {.info = info("coco_ap_small", "aps", "AP small", "coco_ap of objects below 32 x 32 pixels"),
     .area = CocoArea::kSmall},
    {.info = info("coco_ap_medium", "apm", "AP medium",
                  "coco_ap of objects from 32 x 32 to 96 x 96 pixels"),
     .area = CocoArea::kMedium},
    {.info = info("coco_ap_large", "apl", "AP large", "coco_ap of objects above 96 x 96 pixels"),
     .area = CocoArea::kLarge},
    {.info = info("coco_ar_1", "ar1", "AR 1",
                  "largest recall with 1 detection an image and category, over IoU 0.50:0.95"),
     .is_precision = false,
     .limit = 0},
    {.info = info("coco_ar_10", "ar10", "AR 10", "the same with 10 detections"),
     .is_precision = false,
     .limit = 1},
    {.info = info("coco_ar_100", "ar100", "AR 100", "the same with 100 detections"),
     .is_precision = false},
    {.info =
         info("coco_ar_small", "ars", "AR small", "coco_ar_100 of objects below 32 x 32 pixels"),
     .is_precision = false,
     .area = CocoArea::kSmall},
    {.info = info("coco_ar_medium", "arm", "AR medium",
                  "coco_ar_100 of objects from 32 x 32 to 96 x 96 pixels"),
     .is_precision = false,
     .area = CocoArea::kMedium},
    {.info =
         info("coco_ar_large", "arl", "AR large", "coco_ar_100 of objects above 96 x 96 pixels"),
     .is_precision = false,
     .area = CocoArea::kLarge},
};

// Index of the threshold of a row; kAllOf for all of them.
std::size_t threshold_of(const CocoStatRow& row, const CocoParams& params) {
  if (row.iou == 0) return kAllOf;
  const auto& all = params.iou_thresholds;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), row.iou) - all.begin());
}

}  // namespace

std::span<const CocoStatRow, kCocoStats> coco_stat_table() {
  return kRows;
}

std::string_view coco_area_name(CocoArea area) {
  constexpr std::string_view kNames[] = {"all", "small", "medium", "large"};
  return kNames[static_cast<std::size_t>(area)];
}

std::array<double, kCocoStats> coco_stats(const CocoEvaluation& evaluation,
                                          const CocoParams& params) {
  std::array<double, kCocoStats> stats;
  for (std::size_t i = 0; i < kCocoStats; ++i) {
    const CocoStatRow& row = kRows[i];
    const auto area = static_cast<std::size_t>(row.area);
    const std::size_t threshold = threshold_of(row, params);
    if (threshold == params.iou_thresholds.size()) {
      stats[i] = -1;  // params without that threshold
    } else {
      stats[i] = row.is_precision ? mean_precision(evaluation, area, row.limit, threshold)
                                  : mean_recall(evaluation, area, row.limit, threshold);
    }
  }
  return stats;
}

std::string coco_why_undefined(const CocoStatRow& row) {
  if (row.area == CocoArea::kAll) return "no objects but crowds";
  return fmt::format("no objects with a {} area", coco_area_name(row.area));
}

std::string coco_summary_line(const CocoStatRow& row, const CocoParams& params, double value) {
  const std::string iou = row.iou == 0 ? fmt::format("{:.2f}:{:.2f}", params.iou_thresholds.front(),
                                                     params.iou_thresholds.back())
                                       : fmt::format("{:.2f}", row.iou);
  return fmt::format(" {:<18} {} @[ IoU={:<9} | area={:>6} | maxDets={:>3} ] = {:.3f}",
                     row.is_precision ? "Average Precision" : "Average Recall",
                     row.is_precision ? "(AP)" : "(AR)", iou, coco_area_name(row.area),
                     params.max_dets[row.limit], value);
}

}  // namespace openworld

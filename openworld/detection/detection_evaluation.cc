#include "openworld/detection/detection_evaluation.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/io/memory_limit.h"

namespace openworld {
namespace {

constexpr std::string_view kOpenSetPaper =
    "Miller et al., Open-Set Recognition in the Age of Vision-Language Models, ECCV 2024";

constexpr MetricInfo kOpenSetCounts[] = {
    {.name = "detection_tp",
     .family = "detection",
     .title = "TP",
     .brief = "detections matched to an object, asked for every class (open-set test)",
     .citation = kOpenSetPaper,
     .is_count = true},
    {.name = "detection_ose",
     .family = "detection",
     .title = "OSE",
     .brief = "detections made when asked for absent classes only (open-set test)",
     .citation = kOpenSetPaper,
     .higher_is_better = false,
     .is_count = true},
};

}  // namespace

MeasuredValue measured_stat(double value, const std::string& why,
                            const BootstrapResult* bootstrap) {
  if (value < 0) return {.value = undefined(why)};
  MeasuredValue measured{.value = {.value = value}};
  if (bootstrap != nullptr) {
    measured.interval = bootstrap->interval;
    measured.no_interval = bootstrap->why;
  }
  return measured;
}

void request_category_memory(const CocoAnnotations& annotations,
                             const std::vector<CategoryMatches>& matches, const CocoParams& params,
                             bool bootstrap) {
  constexpr std::uint64_t kResamples = 1000;  // the default; more of them were asked for
  const std::uint64_t resampled = bootstrap ? kResamples * matches.size() * sizeof(double) : 0;
  request_memory(means_bytes(matches, params) + resampled, annotations.file_bytes,
                 fmt::format("the evaluation of {} categories", matches.size()),
                 {"detect", annotations.path});
}

DetectionEvaluation evaluate_detections(const CocoAnnotations& annotations,
                                        const CocoResults& results,
                                        const std::vector<CategoryMatches>& matches,
                                        const CocoParams& params,
                                        const std::optional<BootstrapOptions>& bootstrap) {
  DetectionEvaluation result;
  result.images = static_cast<std::int64_t>(annotations.images.size());
  result.objects = static_cast<std::int64_t>(annotations.objects.size());
  result.detections = static_cast<std::int64_t>(results.detections.size());
  request_category_memory(annotations, matches, params, bootstrap.has_value());
  const CocoEvaluation evaluation = accumulate(matches, params, CocoArrays::kForMeans);
  result.stats = coco_stats(evaluation, params);
  std::vector<BootstrapResult> intervals;
  if (bootstrap) {
    intervals =
        coco_intervals(CocoResampling(matches, params), annotations.images.size(), *bootstrap);
  }
  const auto interval = [&](std::size_t i) { return bootstrap ? &intervals[i] : nullptr; };
  for (std::size_t s = 0; s < kCocoStats; ++s) {
    result.metrics[s] =
        measured_stat(result.stats[s], coco_why_undefined(coco_stat_table()[s]), interval(s));
  }
  for (std::size_t k = 0; k < annotations.categories.size(); ++k) {
    CategoryEvaluation category{.id = annotations.categories[k].id,
                                .name = annotations.categories[k].name};
    const std::size_t limit = params.max_dets.size() - 1;
    category.ap = measured_stat(mean_precision(evaluation, 0, limit, kAllOf, k),
                                "no objects but crowds", interval(kCocoStats + k));
    category.ap50 =
        measured_stat(mean_precision(evaluation, 0, limit, 0, k), "no objects but crowds", nullptr);
    result.categories.push_back(std::move(category));
  }
  for (const CocoObject& object : annotations.objects) {
    result.crowds += object.crowd;
    result.categories[object.category].objects += !object.crowd;
    if (object.id == 0) {
      result.notes.push_back(
          "an annotation has the id 0: what is matched to it counts as unmatched, as in "
          "pycocotools; number annotations from 1");
    }
  }
  for (const CocoDetection& d : results.detections) ++result.categories[d.category].detections;
  return result;
}

std::vector<const MetricInfo*> detection_metric_table() {
  std::vector<const MetricInfo*> table;
  for (const CocoStatRow& row : coco_stat_table()) table.push_back(&row.info);
  for (const MetricInfo& info : kOpenSetCounts) table.push_back(&info);
  return table;
}

}  // namespace openworld

#pragma once

// The open-set test of a detector (Miller et al., "Open-Set Recognition in the Age of
// Vision-Language Models", ECCV 2024): how well an uncertainty tells true positives of the closed
// set from open-set errors, which are all detections made when the detector is asked only for
// classes that are not in the image.
//
// True positives are the positives, larger values the more certain ones; an uncertainty whose high
// end is the uncertain one is negated. The metrics are those of classifiers
// (analysis/open_set_metrics.h), with a bootstrap over images.

#include <array>
#include <cstdint>
#include <vector>

#include "openworld/analysis/open_set_metrics.h"
#include "openworld/detection/coco_stats.h"
#include "openworld/detection/openset_matching.h"
#include "openworld/stats/replicates.h"

namespace openworld {

struct OpenSetMeasure {
  Uncertainty uncertainty;
  MeasuredValues metrics;
  // The same with closed-set errors in place of open-set errors (the paper's Table S3).
  MeasuredValues closed_set;
};

struct OpenSetOptions {
  OpenSetMatching matching = OpenSetMatching::kCorrected;
  bool ignore_crowds = false;  // leave detections of crowds out instead of counting them as TP
  bool intervals = true;
  BootstrapOptions bootstrap{};
};

struct OpenSetEvaluation {
  std::int64_t images = 0;
  std::int64_t missing_images = 0;  // have objects, but are not in the file
  std::int64_t tp = 0;
  std::int64_t crowd = 0;  // detections matched to a crowd; among tp unless ignored
  std::int64_t ose = 0;
  std::int64_t closed_errors = 0;
  std::int64_t named_present = 0;  // open-set detections of a class that the image does have
  std::array<double, kCocoStats> stats{};  // of the detections of "all"; -1 where undefined
  std::array<MeasuredValue, 2> ap{};       // AP and AP50, with intervals
  std::vector<OpenSetMeasure> measures;
};

OpenSetEvaluation evaluate_openset(const CocoAnnotations& annotations, const OpenSetFile& file,
                                   const OpenSetOptions& options);

// True positives and open-set errors of one uncertainty: larger values are more certain.
struct OpenSetSamples {
  std::vector<std::int8_t> side;  // 0 true positive, -1 error
  std::vector<double> score;
  std::vector<std::uint32_t> image;
};

OpenSetSamples openset_samples(const OpenSetFile& file, const std::vector<OpenSetVerdict>& verdicts,
                               std::size_t uncertainty, ErrorKind errors, bool ignore_crowds);

}  // namespace openworld

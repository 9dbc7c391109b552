#include "openworld/detection/openset_eval.h"

#include <algorithm>

#include "openworld/detection/detection_evaluation.h"

namespace openworld {
namespace {

bool is_positive(OpenSetVerdict verdict, bool ignore_crowds) {
  return verdict == OpenSetVerdict::kTruePositive ||
         (verdict == OpenSetVerdict::kCrowd && !ignore_crowds);
}

// The detections of "all" as results of COCO.
CocoResults coco_results(const OpenSetFile& file) {
  CocoResults results;
  results.path = file.path;
  results.file_bytes = file.file_bytes;
  results.detections.reserve(file.all.size());
  for (std::size_t i = 0; i < file.all.size(); ++i) {
    const Corners& box = file.all.box[i];
    results.detections.push_back({file.all.image[i], file.all.category[i],
                                  Box{box.x1, box.y1, box.x2 - box.x1, box.y2 - box.y1},
                                  file.all.score[i]});
  }
  return results;
}

void add_precision(const CocoAnnotations& annotations, const OpenSetFile& file,
                   const OpenSetOptions& options, OpenSetEvaluation& evaluation) {
  CocoParams params;
  params.threads = options.bootstrap.threads;
  const auto matches = match_detections(annotations, coco_results(file), params);
  request_category_memory(annotations, matches, params, options.intervals);
  evaluation.stats = coco_stats(accumulate(matches, params, CocoArrays::kForMeans), params);
  std::vector<BootstrapResult> intervals;
  if (options.intervals) {
    intervals = coco_intervals(CocoResampling(matches, params), annotations.images.size(),
                               options.bootstrap);
  }
  for (std::size_t s = 0; s < evaluation.ap.size(); ++s) {
    evaluation.ap[s] = measured_stat(evaluation.stats[s], coco_why_undefined(coco_stat_table()[s]),
                                     options.intervals ? &intervals[s] : nullptr);
  }
}

ImageRanking rank_samples(OpenSetSamples samples, std::size_t images) {
  std::vector<std::uint8_t> positive;
  for (const std::int8_t side : samples.side) positive.push_back(side == 0);
  return ImageRanking(std::move(positive), std::move(samples.score), std::move(samples.image),
                      images);
}

}  // namespace

OpenSetSamples openset_samples(const OpenSetFile& file, const std::vector<OpenSetVerdict>& verdicts,
                               std::size_t uncertainty, ErrorKind errors, bool ignore_crowds) {
  OpenSetSamples samples;
  const double sign = file.uncertainties[uncertainty].low_is_uncertain ? 1 : -1;
  const auto add = [&](const OpenSetRun& run, std::size_t i, std::int8_t side) {
    samples.side.push_back(side);
    samples.score.push_back(sign * run.values[uncertainty][i]);
    samples.image.push_back(run.image[i]);
  };
  for (std::size_t i = 0; i < file.all.size(); ++i) {
    if (is_positive(verdicts[i], ignore_crowds)) add(file.all, i, 0);
  }
  if (errors == ErrorKind::kOpenSet) {
    for (std::size_t i = 0; i < file.open_set.size(); ++i) add(file.open_set, i, -1);
  } else {
    for (std::size_t i = 0; i < file.all.size(); ++i) {
      if (verdicts[i] == OpenSetVerdict::kClosedError) add(file.all, i, -1);
    }
  }
  return samples;
}

OpenSetEvaluation evaluate_openset(const CocoAnnotations& annotations, const OpenSetFile& file,
                                   const OpenSetOptions& options) {
  OpenSetEvaluation result;
  const auto verdicts = match_openset(annotations, file, options.matching);
  result.images = static_cast<std::int64_t>(file.images.size());
  result.ose = static_cast<std::int64_t>(file.open_set.size());
  for (const OpenSetVerdict verdict : verdicts) {
    result.tp += is_positive(verdict, options.ignore_crowds);
    result.crowd += verdict == OpenSetVerdict::kCrowd;
    result.closed_errors += verdict == OpenSetVerdict::kClosedError;
  }
  const std::size_t categories = annotations.categories.size();
  std::vector<bool> present(annotations.images.size() * categories, false);
  std::vector<bool> has_objects(annotations.images.size(), false);
  for (const CocoObject& object : annotations.objects) {
    present[object.image * categories + object.category] = true;
    has_objects[object.image] = true;
  }
  for (std::size_t i = 0; i < file.open_set.size(); ++i) {
    result.named_present +=
        present[file.open_set.image[i] * categories + file.open_set.category[i]];
  }
  result.missing_images = std::count(has_objects.begin(), has_objects.end(), true) - result.images;
  add_precision(annotations, file, options, result);
  std::vector<std::uint32_t> place(annotations.images.size());
  for (std::size_t i = 0; i < file.images.size(); ++i) {
    place[file.images[i]] = static_cast<std::uint32_t>(i);
  }
  const OpenSetCiOptions ci{options.intervals ? OpenSetCi::kBootstrap : OpenSetCi::kNone,
                            options.bootstrap};
  // One ranking at a time: detectors give millions of samples.
  const auto measure = [&](std::size_t u, ErrorKind errors) {
    OpenSetSamples samples = openset_samples(file, verdicts, u, errors, options.ignore_crowds);
    for (std::uint32_t& image : samples.image) image = place[image];
    std::vector<ImageRanking> rankings;
    rankings.push_back(rank_samples(std::move(samples), file.images.size()));
    return measure_rankings(rankings, errors, ci)[0];
  };
  for (std::size_t u = 0; u < file.uncertainties.size(); ++u) {
    result.measures.push_back({file.uncertainties[u], measure(u, ErrorKind::kOpenSet),
                               measure(u, ErrorKind::kClosedSet)});
  }
  return result;
}

}  // namespace openworld

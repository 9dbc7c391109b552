#include "openworld/detection/openset_eval.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "openworld/detection/coco_resampling.h"
#include "openworld/metrics/aupr.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/precision_at_recall.h"
#include "openworld/metrics/recall_at_precision.h"

namespace openworld {
namespace {

const OpenSetMetricRow kMetrics[kOpenSetMetrics] = {
    {"auroc", &kAuroc},
    {"aupr", &kAuprBaseTrapezoid},
    {"p_at_95r", &kPrecisionAtRecall},
    {"r_at_95p", &kRecallAtPrecision},
};

bool is_positive(OpenSetVerdict verdict, bool ignore_crowds) {
  return verdict == OpenSetVerdict::kTruePositive ||
         (verdict == OpenSetVerdict::kCrowd && !ignore_crowds);
}

MetricValue compute(const OpenSetMetricRow& metric, const Ranking& ranking) {
  MetricOptions options;
  options.open = Side::kUnknown;
  options.params = metric.row->info.params;
  return metric.row->compute(ranking, options);
}

// Metrics of samples, with intervals by weights of images.
std::array<DetectionMetric, kOpenSetMetrics> measure(const OpenSetSamples& samples,
                                                     std::size_t images, OpenSetErrors errors,
                                                     const OpenSetOptions& options) {
  std::array<DetectionMetric, kOpenSetMetrics> metrics;
  const auto negatives = std::count(samples.side.begin(), samples.side.end(), std::int8_t{-1});
  const auto size = static_cast<std::ptrdiff_t>(samples.side.size());
  if (negatives == 0 || negatives == size) {
    const char* why = negatives == size                   ? "no true positives"
                      : errors == OpenSetErrors::kOpenSet ? "no open-set errors"
                                                          : "no closed-set errors";
    for (DetectionMetric& metric : metrics) metric.value = undefined(why);
    return metrics;
  }
  const std::vector<std::uint8_t> correct(samples.side.size(), 1);
  Outcomes outcomes;
  outcomes.side = samples.side;
  outcomes.score = BaseScores::larger_is_base(std::span<const double>(samples.score));
  outcomes.correct = correct;
  const RankedScores ranked(outcomes, RankedScores::Keep::kOrder);
  const Ranking whole(ranked);
  for (std::size_t m = 0; m < kOpenSetMetrics; ++m) metrics[m].value = compute(kMetrics[m], whole);
  if (!options.intervals) return metrics;

  std::vector<std::uint32_t> image_by_rank(samples.image.size());
  for (std::size_t i = 0; i < image_by_rank.size(); ++i) {
    image_by_rank[i] = samples.image[ranked.order()[i]];
  }
  const Resampler resampler(std::vector<std::uint8_t>(images, 0), options.bootstrap.seed);
  const auto evaluate = [&](std::span<const std::uint8_t> weights, std::span<double> values) {
    thread_local std::vector<std::uint8_t> by_rank;
    by_rank.resize(image_by_rank.size());
    for (std::size_t i = 0; i < by_rank.size(); ++i) by_rank[i] = weights[image_by_rank[i]];
    const Ranking ranking(ranked, by_rank);
    for (std::size_t m = 0; m < kOpenSetMetrics; ++m) {
      const MetricValue value = compute(kMetrics[m], ranking);
      values[m] = value.defined() ? value.value : std::numeric_limits<double>::quiet_NaN();
    }
  };
  const Replicates replicates = replicate(resampler, kOpenSetMetrics, evaluate, options.bootstrap);
  for (std::size_t m = 0; m < kOpenSetMetrics; ++m) {
    if (!metrics[m].value.defined()) continue;
    auto result =
        interval_from_replicates(metrics[m].value.value, replicates, m, options.bootstrap);
    metrics[m].interval = result.interval;
    metrics[m].no_interval = std::move(result.why);
  }
  return metrics;
}

// The detections of "all" as results of COCO.
CocoResults coco_results(const OpenSetFile& file) {
  CocoResults results;
  results.path = file.path;
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
  evaluation.stats = coco_stats(accumulate(matches, params), params);
  std::vector<BootstrapResult> intervals;
  if (options.intervals) {
    intervals = coco_intervals(CocoResampling(matches, params), annotations.images.size(),
                               options.bootstrap);
  }
  for (std::size_t s = 0; s < evaluation.ap.size(); ++s) {
    DetectionMetric& metric = evaluation.ap[s];
    if (evaluation.stats[s] < 0) {
      metric.value = undefined(coco_why_undefined(coco_stat_table()[s]));
      continue;
    }
    metric.value = {.value = evaluation.stats[s]};
    if (!options.intervals) continue;
    metric.interval = intervals[s].interval;
    metric.no_interval = intervals[s].why;
  }
}

}  // namespace

std::span<const OpenSetMetricRow, kOpenSetMetrics> openset_metric_table() {
  return kMetrics;
}

OpenSetSamples openset_samples(const OpenSetFile& file, const std::vector<OpenSetVerdict>& verdicts,
                               std::size_t uncertainty, OpenSetErrors errors, bool ignore_crowds) {
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
  if (errors == OpenSetErrors::kOpenSet) {
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
  for (std::size_t u = 0; u < file.uncertainties.size(); ++u) {
    OpenSetMeasure measured{file.uncertainties[u], {}, {}};
    for (const OpenSetErrors errors : {OpenSetErrors::kOpenSet, OpenSetErrors::kClosedSet}) {
      auto samples = openset_samples(file, verdicts, u, errors, options.ignore_crowds);
      for (std::uint32_t& image : samples.image) image = place[image];
      (errors == OpenSetErrors::kOpenSet ? measured.metrics : measured.closed_set) =
          measure(samples, file.images.size(), errors, options);
    }
    result.measures.push_back(std::move(measured));
  }
  return result;
}

}  // namespace openworld

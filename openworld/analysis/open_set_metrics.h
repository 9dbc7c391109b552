#pragma once

// How well an uncertainty tells true positives from errors: the four metrics of open-set tests, of
// classifiers and of detectors, with intervals and paired tests over images.
//
// AUROC, AuPR (the trapezoids of the published code), P@95R and R@95P are rows of the metric table,
// with true positives as base samples and errors as unknown ones. AUROC has the interval of
// clustered data or a bootstrap over images, the others the bootstrap (image_ranking.h).
//
// Miller et al., "Open-Set Recognition in the Age of Vision-Language Models", ECCV 2024.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "openworld/analysis/image_ranking.h"
#include "openworld/metrics/measured_value.h"
#include "openworld/stats/replicates.h"

namespace openworld {

// The metrics of one measure, in the order of the published tables, with the names of the results.
struct OpenSetMetricRow {
  const char* name;  // "auroc", "aupr", "p_at_95r", "r_at_95p"
  const char* title;
  const MetricRow* metric;
};
inline constexpr std::size_t kOpenSetMetrics = 4;
inline constexpr std::size_t kAuprAt = 1;  // the AuPR in the table
const std::array<OpenSetMetricRow, kOpenSetMetrics>& open_set_metric_table();

// The options that every metric of the table is computed with.
MetricOptions open_set_metric_options(const OpenSetMetricRow& row);

// What stands against the true positives.
enum class ErrorKind { kOpenSet, kClosedSet };

enum class OpenSetCi {
  kNone,
  kAuto,       // closed forms where there is one, else the bootstrap
  kBootstrap,  // the bootstrap for every metric of a ranking
};

struct OpenSetCiOptions {
  OpenSetCi kind = OpenSetCi::kAuto;
  BootstrapOptions bootstrap{};  // its level and threads serve the closed forms too
};

using MeasuredValues = std::array<MeasuredValue, kOpenSetMetrics>;

// The metrics of each ranking. Undefined values say why: no true positive or no error is left. All
// intervals come from the same resamples. REQUIRES: all rankings are of as many images.
std::vector<MeasuredValues> measure_rankings(const std::vector<ImageRanking>& rankings,
                                             ErrorKind errors, const OpenSetCiOptions& options);

// b - a in one metric, on the same images.
struct PairedDifference {
  MetricValue a, b;
  double difference = 0;
  std::optional<Interval> interval{};
  std::optional<double> p_value{};
  std::string test{};  // "delong_clustered" or "bootstrap"
  std::string why{};   // why there is no interval or p-value
};

// Two measures, or two models, on the same images. REQUIRES: a.images() == b.images().
std::array<PairedDifference, kOpenSetMetrics> compare_rankings(const ImageRanking& a,
                                                               const ImageRanking& b,
                                                               const OpenSetCiOptions& options);

}  // namespace openworld

#pragma once

// What the scores of an open-set test say: counts, accuracy, and for each uncertainty how well it
// tells true positives from errors, with intervals.
//
// AUROC, AuPR (the trapezoids of the published code), P@95R and R@95P are rows of the metric table,
// with true positives as base samples and errors as unknown ones. Accuracies have Wilson intervals;
// AUROC that of clustered data, the others a bootstrap over images (image_ranking.h).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openworld/metrics/metric.h"
#include "openworld/openset/image_ranking.h"
#include "openworld/stats/proportions.h"
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

enum class OpenSetCi {
  kNone,
  kAuto,       // closed forms where there is one, else the bootstrap
  kBootstrap,  // the bootstrap for every metric of a ranking
};

struct OpenSetCiOptions {
  OpenSetCi kind = OpenSetCi::kAuto;
  BootstrapOptions bootstrap{};  // its level and threads serve the closed forms too
};

struct MeasuredValue {
  MetricValue value;
  std::optional<Interval> interval{};
  std::string no_interval{};  // why there is none, when one was asked for
};

using MeasuredValues = std::array<MeasuredValue, kOpenSetMetrics>;

// One measure against one kind of error.
struct MeasureResult {
  const UncertaintyRow* measure = nullptr;
  MeasuredValues metrics;
};

struct OpenSetCounts {
  std::int64_t images = 0;
  std::int64_t tp = 0, wrong = 0;      // of the closed test; the others chose a negative query
  std::int64_t ose = 0, rejected = 0;  // of the open test
  std::optional<Proportion> accuracy;  // TP / images; none without images
  std::optional<Proportion> ose_rate;  // OSE / images
};

OpenSetCounts count_outcomes(const OpenSetTest& test, double level);

// All measures of a test. Undefined values say why.
std::vector<MeasureResult> measure_test(const OpenSetTest& test, const OpenSetScores& scores,
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

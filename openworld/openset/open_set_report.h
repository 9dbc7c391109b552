#pragma once

// The whole result of an open-set test: numbers with intervals, as tables, JSON, Python and figures
// show them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "openworld/openset/outcome_metrics.h"
#include "openworld/stats/seeds.h"

namespace openworld {

// One list of queries: how it went, and how well each measure tells right from wrong.
struct TestSummary {
  std::int32_t classes = 0, extra = 0;
  OutcomeCounts counts;
  std::vector<MeasureResult> open_set;
};

// Query sets of one size, over the seeds; a metric that one seed leaves undefined has no summary.
struct GrowthPoint {
  std::int32_t size = 0;
  std::vector<TestSummary> by_seed;
  SeedSummary accuracy;
  // [measure][metric]
  std::vector<std::array<std::optional<SeedSummary>, kOpenSetMetrics>> metrics;
};

// A measure or a model against the reference.
struct PairedResult {
  std::string first, second;
  std::array<PairedDifference, kOpenSetMetrics> metrics;
  // Adjusted by Holm's method over all pairs, metric by metric.
  std::array<std::optional<double>, kOpenSetMetrics> p_holm;
};

struct OpenSetReport {
  LogitForm form;
  ExtraRole role = ExtraRole::kNegative;
  std::int64_t images = 0;
  double level = 0.95;
  TestSummary all;                        // with all queries
  std::vector<MeasureResult> closed_set;  // the same against closed-set errors
  std::vector<TestSummary> by_extra;      // none to all further queries; empty without any
  std::vector<Efficacy> efficacies;       // of each further query
  std::vector<GrowthPoint> growth;
  std::vector<PairedResult> pairs;
};

// Intervals of query sets by size are over seeds, all others over images. Progress is that of the
// bootstrap.
OpenSetReport report_open_set(const OpenSetScores& scores, const OpenSetCiOptions& options);

// Each other measure against measure number `reference`, in the test with all queries.
std::vector<PairedResult> compare_measures(const OpenSetScores& scores, std::size_t reference,
                                           const OpenSetCiOptions& options);

// Fills p_holm.
void adjust_pairs(std::vector<PairedResult>& pairs);

}  // namespace openworld

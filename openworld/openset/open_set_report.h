#pragma once

// The whole result of an open-set test: numbers with intervals, as tables, JSON, Python and figures
// show them.

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "openworld/openset/open_set_metrics.h"
#include "openworld/stats/seeds.h"

namespace openworld {

// One list of queries: how it went, and how well each measure tells right from wrong.
struct TestSummary {
  std::int32_t classes = 0, extra = 0;
  OpenSetCounts counts;
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

// Where the results came from, for the JSON.
struct OpenSetContext {
  std::vector<std::pair<std::string, std::string>> sources{};  // what, path
  std::vector<std::string> extra_names{};
  const BootstrapOptions* bootstrap = nullptr;  // left out when null
};

inline constexpr const char* kOpenSetSchema = "openworld.openset/1";

// Compact text without a line break:
//   {"schema": "openworld.openset/1", "version":, "images":, "classes":, "negatives":, "tp":,
//    "ose":, "accuracy":, "accuracy_interval":, "closed_set_errors":,
//    "measures": {"softmax": {"auroc": {"value":, "interval": {...} or null, "why": text or null},
//                             "aupr":, "p_at_95r":, "r_at_95p":,
//                             "closed_set": {the same against closed-set errors}}, ...},
//    "by_extra": [...], "efficacy": [...], "growth": [...], "pairs": [...], "options": {...}}
std::string open_set_json(const OpenSetReport& report, const OpenSetContext& context);

}  // namespace openworld

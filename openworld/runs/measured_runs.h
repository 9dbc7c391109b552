#pragma once

// Runs measured and compared, as `openworld eval` and `openworld report` show them.

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/analysis/diagnosis.h"
#include "openworld/runs/run_collection.h"

namespace openworld {

// Means over datasets of means over seeds of what each stage costs; see diagnosis.h. The factors
// are left out: those of a mean do not multiply to it.
struct StageCosts {
  double openworld_auc = 0;
  std::array<double, kStages> cost{};
  std::array<double, kStages> if_perfect{};
  std::string why{};  // why there are none
};

struct MeasuredRuns {
  RunComparison comparison;
  // [label][metric], Holm's over labels; none where there is no p-value, empty for the reference.
  std::vector<std::vector<std::optional<double>>> adjusted;
  EvalOptions options;

  bool significant(std::size_t label, std::size_t metric) const {
    const auto& p = adjusted[label][metric];
    return p && *p < 1 - options.bootstrap.level;
  }
  // Whether no label has a better value of the metric, on one dataset or (none) on average.
  bool is_best(std::size_t label, std::size_t metric, std::optional<std::size_t> dataset) const;
};

MeasuredRuns measure_runs(const RunCollection& runs, std::span<const MetricRequest> requests,
                          std::size_t reference, EvalOptions options);

// By label.
std::vector<StageCosts> stage_costs(const RunCollection& runs, const RunComparison& comparison,
                                    std::optional<Ties> ties);

// Whether no difference can be significant: p of R resamples is 2 / (R + 1) or more
// (stats/replicates.h), and Holm's method multiplies the least of m by m. 1000 resamples are too
// few for 27 methods at 5 %.
bool has_too_few_resamples(const MeasuredRuns& measured);

// What a reader should know beside the numbers (metrics/result_notes.h): the sides that metrics
// compare, labels whose AUROC on a dataset is below a half, and too few resamples.
std::vector<std::string> runs_notes(const RunCollection& runs, const MeasuredRuns& measured);

// A metric's mean, over datasets or on one.
const RunMean& mean_of(const RunMetric& metric, std::optional<std::size_t> dataset);

// Schema "openworld.runs/2", without the cost.
nlohmann::ordered_json runs_json(const RunCollection& runs, const MeasuredRuns& measured);
nlohmann::ordered_json stage_costs_json(const RunCollection& runs,
                                        const std::vector<StageCosts>& costs);

}  // namespace openworld

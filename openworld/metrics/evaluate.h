#pragma once

// evaluate: metrics with intervals from outcomes. The command line, Python and the benchmark
// harness all call it.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/metrics/bootstrap.h"
#include "openworld/metrics/outcomes.h"
#include "openworld/metrics/table.h"

namespace openworld {

enum class Ci {
  kNone,
  kDelong,     // closed forms from the one sort: DeLong for pair metrics, Wilson for accuracies
  kBootstrap,  // resampling, for every metric
};

struct EvalOptions {
  std::optional<Ties> ties{};         // default: each metric's own definition
  std::optional<Side> open{};         // default: by metric, new or unknown first
  std::optional<double> threshold{};  // operating point of the open-set counts
  bool grid = false;                  // open-set F-scores over the papers' grid
  Ci ci = Ci::kDelong;
  BootstrapOptions bootstrap{};  // its level, seed and threads serve every kind of interval
};

struct MetricResult {
  MetricRequest request;
  MetricValue value;
  std::optional<Side> open{};  // the side compared with base
  std::optional<Ties> ties{};  // the convention used
  std::optional<Interval> interval{};
  std::string no_interval{};  // why there is none, when one was asked for
};

struct Evaluation {
  KindCounts counts;
  std::int64_t tied = 0;  // samples that share their score with another
  std::vector<MetricResult> metrics;

  // The result of that name, or nullptr.
  const MetricResult* find(std::string_view name) const;
};

// Throws Error on invalid outcomes or options. Metrics that the outcomes cannot support are
// undefined in the result, with the reason.
Evaluation evaluate(const Outcomes& outcomes, std::span<const MetricRequest> requests,
                    const EvalOptions& options = {});

// The same on scores that are already ranked (with the order kept if a request needs it).
Evaluation evaluate(const RankedScores& ranked, std::span<const MetricRequest> requests,
                    const EvalOptions& options = {});

// Whether any request needs classes, and so the order to be kept.
RankedScores::Keep keep_for(std::span<const MetricRequest> requests);

// What `request` is computed with under `options`.
MetricOptions metric_options(const MetricRequest& request, const EvalOptions& options);

}  // namespace openworld

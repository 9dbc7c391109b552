#include "openworld/metrics/evaluate.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/metrics/delong.h"

namespace openworld {
namespace {

void check(const EvalOptions& options) {
  const double level = options.bootstrap.level;
  if (!(level > 0 && level < 1)) {
    fail("evaluate", fmt::format("level is {}; expected a number between 0 and 1", level));
  }
  if (options.threshold && *options.threshold != *options.threshold) {
    fail("evaluate", "threshold is NaN; expected a number");
  }
}

// Closed forms for the pair metrics, all from one walk.
void add_delong(const Ranking& ranking, double level, std::vector<MetricResult>& results) {
  std::vector<UStatistic> statistics;
  std::vector<MetricResult*> owners;
  for (MetricResult& result : results) {
    const MetricRow& row = *result.request.row;
    if (row.kernel == nullptr || !result.value.defined()) continue;
    const Side open = result.open.value_or(Side::kNew);
    if (ranking.totals().base() < 2 || ranking.totals().open(open) < 2) {
      result.no_interval = "a side has fewer than two samples";
      continue;
    }
    statistics.push_back({row.kernel(open), *result.ties});
    owners.push_back(&result);
  }
  if (statistics.empty()) return;
  const std::vector<double> variances = delong_variances(ranking, statistics);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    const double value = owners[i]->value.value;
    if (!(value > 0 && value < 1 && variances[i] > 0)) {
      // A zero-width interval would claim certainty that the data do not give.
      owners[i]->no_interval = "the estimated variance is zero";
      continue;
    }
    Interval interval{.low = 0, .high = 0, .level = level, .method = "delong"};
    logit_interval(value, variances[i], level, interval.low, interval.high);
    owners[i]->interval = interval;
  }
}

void add_closed_forms(const Ranking& ranking, const EvalOptions& options,
                      std::vector<MetricResult>& results) {
  const double level = options.bootstrap.level;
  add_delong(ranking, level, results);
  for (MetricResult& result : results) {
    const MetricRow& row = *result.request.row;
    if (row.kernel != nullptr || !result.value.defined()) continue;
    if (row.interval == nullptr) {
      result.no_interval = "no closed form; use the bootstrap";
      continue;
    }
    result.interval = row.interval(ranking, metric_options(result.request, options), level);
    if (!result.interval) result.no_interval = "the estimated variance is zero";
  }
}

void add_bootstrap(const RankedScores& ranked, const EvalOptions& options,
                   std::vector<MetricResult>& results) {
  std::vector<Statistic> statistics;
  std::vector<MetricResult*> owners;
  for (MetricResult& result : results) {
    if (!result.value.defined()) continue;
    owners.push_back(&result);
    MetricOptions fixed = metric_options(result.request, options);
    // A resample without unknown samples must not fall back to the new ones.
    if (result.open) fixed.open = result.open;
    statistics.emplace_back([row = result.request.row, fixed](const Ranking& ranking) {
      return row->compute(ranking, fixed).value;
    });
  }
  const auto intervals = bootstrap(ranked, statistics, options.bootstrap);
  for (std::size_t i = 0; i < owners.size(); ++i) {
    owners[i]->interval = intervals[i].interval;
    owners[i]->no_interval = intervals[i].why;
  }
}

}  // namespace

const MetricResult* Evaluation::find(std::string_view name) const {
  const auto it = std::find_if(metrics.begin(), metrics.end(),
                               [&](const MetricResult& m) { return m.request.name == name; });
  return it == metrics.end() ? nullptr : &*it;
}

RankedScores::Keep keep_for(std::span<const MetricRequest> requests) {
  const bool classes = std::any_of(requests.begin(), requests.end(), [](const MetricRequest& r) {
    return r.row->needs & (kNeedsLabel | kNeedsPredicted);
  });
  return classes ? RankedScores::Keep::kOrder : RankedScores::Keep::kCodes;
}

MetricOptions metric_options(const MetricRequest& request, const EvalOptions& options) {
  return {.ties = options.ties,
          .open = options.open,
          .params = request.params,
          .threshold = options.threshold,
          .grid = options.grid};
}

Evaluation evaluate(const Outcomes& outcomes, std::span<const MetricRequest> requests,
                    const EvalOptions& options) {
  check(options);
  validate(outcomes);
  return evaluate(RankedScores(outcomes, keep_for(requests)), requests, options);
}

Evaluation evaluate(const RankedScores& ranked, std::span<const MetricRequest> requests,
                    const EvalOptions& options) {
  check(options);
  Evaluation evaluation{.counts = ranked.totals(), .tied = ranked.tied(), .metrics = {}};
  const Ranking ranking(ranked);
  const bool any_pairs =
      std::any_of(requests.begin(), requests.end(), [](const auto& r) { return r.row->kernel; });
  if (any_pairs) ranking.pairs();  // counted here, so that the threads below only read it
  evaluation.metrics.resize(requests.size());
  parallel_for(requests.size(), options.bootstrap.threads, [&](std::size_t i) {
    const MetricRow& row = *requests[i].row;
    const MetricOptions mine = metric_options(requests[i], options);
    MetricResult& result = evaluation.metrics[i];
    result.request = requests[i];
    // Each thread its own Ranking: it counts pairs on first use.
    result.value = row.kernel ? row.compute(ranking, mine) : row.compute(Ranking(ranked), mine);
    if (row.open != OpenRule::kNone) result.open = open_side(row, ranked.totals(), mine);
    if (row.ties) result.ties = mine.ties.value_or(*row.ties);
  });
  if (options.ci == Ci::kDelong) add_closed_forms(ranking, options, evaluation.metrics);
  if (options.ci == Ci::kBootstrap) add_bootstrap(ranked, options, evaluation.metrics);
  return evaluation;
}

}  // namespace openworld

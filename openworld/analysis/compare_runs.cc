#include "openworld/analysis/compare_runs.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>

#include "openworld/analysis/run_cells.h"
#include "openworld/base/error.h"
#include "openworld/base/threads.h"
#include "openworld/stats/distributions.h"
#include "openworld/stats/seeds.h"

namespace openworld {
namespace {

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Replicates of every RunCells::at, [cell][resample].
Replicates::Table draw_all(const RunCells& cells, const BootstrapOptions& options) {
  if (options.resamples < 2) {
    fail("compare_runs", fmt::format("{} resamples; expected at least 2", options.resamples));
  }
  const auto resamples = static_cast<std::size_t>(options.resamples);
  Replicates::Table drawn(cells.size(), std::vector<double>(resamples));
  std::mutex mutex;
  std::size_t done = 0;
  parallel_for(resamples, options.threads, [&](std::size_t index) {
    thread_local std::vector<double> means;
    means.resize(cells.size());
    cells.resample(index, means);
    for (std::size_t i = 0; i < means.size(); ++i) drawn[i][index] = means[i];
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    options.progress(++done);
  });
  return drawn;
}

// The metric of a method on the samples as they are.
RunMetric measure(const RunCells& cells, const RunSet& runs, std::size_t method,
                  std::size_t metric) {
  RunMetric result;
  std::vector<double> means;
  for (std::size_t d = 0; d < cells.datasets(); ++d) {
    RunMean mean;
    std::vector<double> values;
    for (std::size_t s = 0; s < cells.seeds(d).size(); ++s) {
      const MetricValue value = cells.measure(method, metric, d, s);
      values.push_back(value.value);
      if (!value.defined() && mean.why.empty()) {
        mean.why = fmt::format("{} on {} with seed {}: {}", runs.methods[method].name,
                               runs.datasets[d], cells.seeds(d)[s], value.why);
      }
    }
    mean.value = mean_of(values);
    if (!mean.defined() && result.mean.why.empty()) result.mean.why = mean.why;
    means.push_back(mean.value);
    result.by_dataset.push_back(std::move(mean));
    result.by_run.push_back(std::move(values));
  }
  result.mean.value = mean_of(means);
  return result;
}

RunMean difference(const RunMean& a, const RunMean& b) {
  return {.value = a.value - b.value, .why = a.defined() ? b.why : a.why};
}

RunMetric difference(const RunMetric& a, const RunMetric& b) {
  RunMetric result{.mean = difference(a.mean, b.mean)};
  for (std::size_t d = 0; d < a.by_dataset.size(); ++d) {
    result.by_dataset.push_back(difference(a.by_dataset[d], b.by_dataset[d]));
    std::vector<double> by_seed;
    for (std::size_t s = 0; s < a.by_run[d].size(); ++s) {
      by_seed.push_back(a.by_run[d][s] - b.by_run[d][s]);
    }
    result.by_run.push_back(std::move(by_seed));
  }
  return result;
}

enum class Of { kValue, kDifference };

void add_interval(RunMean& mean, std::vector<double> drawn, Of of, BootstrapOptions options) {
  if (!mean.defined()) return;
  options.kind = BootstrapKind::kPercentile;
  const Replicates replicates{.drawn = {std::move(drawn)}, .deleted = {}};
  const BootstrapResult outcome = interval_from_replicates(mean.value, replicates, 0, options);
  mean.interval = outcome.interval;
  if (mean.interval) mean.interval->method = "two_way_bootstrap";
  mean.no_interval = outcome.why;
  if (of == Of::kDifference && (outcome.interval || mean.value == 0)) {
    mean.p_value = bootstrap_p_value(replicates.drawn[0]);
  }
}

// Student's t over datasets.
void add_over_datasets(RunMetric& metric, Of of, double level) {
  if (!metric.mean.defined() || metric.by_dataset.size() < 3) return;
  std::vector<double> values;
  for (const RunMean& mean : metric.by_dataset) values.push_back(mean.value);
  const SeedSummary summary = summarize_seeds(values, level);
  if (!(*summary.standard_error > 0)) return;
  metric.over_datasets = Interval{.low = summary.interval->low,
                                  .high = summary.interval->high,
                                  .level = level,
                                  .method = "student_t"};
  if (of == Of::kDifference) {
    const double t = std::abs(summary.mean) / *summary.standard_error;
    metric.p_over_datasets = 2 * student_t_survival(t, static_cast<double>(values.size()) - 1);
  }
}

// `drawn` has a row per dataset.
void add_intervals(RunMetric& metric, Replicates::Table drawn, Of of,
                   const BootstrapOptions& options) {
  std::vector<double> means(drawn[0].size());
  for (std::size_t r = 0; r < means.size(); ++r) {
    for (const auto& row : drawn) means[r] += row[r] / static_cast<double>(drawn.size());
  }
  add_interval(metric.mean, std::move(means), of, options);
  for (std::size_t d = 0; d < drawn.size(); ++d) {
    add_interval(metric.by_dataset[d], std::move(drawn[d]), of, options);
  }
  add_over_datasets(metric, of, options.level);
}

// The rows of a method and metric; minus those of `reference`, if it is another method.
Replicates::Table rows_of(const Replicates::Table& drawn, const RunCells& cells, std::size_t method,
                          std::size_t metric, std::optional<std::size_t> reference = {}) {
  Replicates::Table rows;
  for (std::size_t d = 0; d < cells.datasets(); ++d) {
    rows.push_back(drawn[cells.at(method, metric, d)]);
    if (!reference) continue;
    const auto& other = drawn[cells.at(*reference, metric, d)];
    for (std::size_t r = 0; r < other.size(); ++r) rows[d][r] -= other[r];
  }
  return rows;
}

}  // namespace

RunComparison compare_runs(const RunSet& runs, std::span<const MetricRequest> requests,
                           std::size_t reference, const EvalOptions& options) {
  const RunCells cells(runs, requests, options);
  if (reference >= cells.methods()) {
    fail("compare_runs",
         fmt::format("reference is method {}; there are {}", reference, cells.methods()));
  }
  if (const double level = options.bootstrap.level; !(level > 0 && level < 1)) {
    fail("compare_runs", fmt::format("level is {}; expected a number between 0 and 1", level));
  }
  RunComparison result{.requests = {requests.begin(), requests.end()},
                       .seeds = {},
                       .reference = reference,
                       .values = std::vector<std::vector<RunMetric>>(cells.methods()),
                       .differences = std::vector<std::vector<RunMetric>>(cells.methods())};
  for (std::size_t d = 0; d < cells.datasets(); ++d) result.seeds.push_back(cells.seeds(d));
  for (std::size_t m = 0; m < cells.methods(); ++m) {
    for (std::size_t k = 0; k < requests.size(); ++k) {
      result.values[m].push_back(measure(cells, runs, m, k));
    }
  }
  for (std::size_t m = 0; m < cells.methods(); ++m) {
    for (std::size_t k = 0; k < requests.size() && m != reference; ++k) {
      result.differences[m].push_back(difference(result.values[m][k], result.values[reference][k]));
    }
  }
  if (options.ci == Ci::kNone) return result;
  const Replicates::Table drawn = draw_all(cells, options.bootstrap);
  for (std::size_t m = 0; m < cells.methods(); ++m) {
    for (std::size_t k = 0; k < requests.size(); ++k) {
      add_intervals(result.values[m][k], rows_of(drawn, cells, m, k), Of::kValue,
                    options.bootstrap);
      if (m == reference) continue;
      add_intervals(result.differences[m][k], rows_of(drawn, cells, m, k, reference),
                    Of::kDifference, options.bootstrap);
    }
  }
  return result;
}

}  // namespace openworld

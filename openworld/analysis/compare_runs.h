#pragma once

// Several methods, each run with several seeds on several datasets: which is better, and by how
// much?
//
//   value of a method       mean over datasets of the mean over seeds, as papers report
//   difference              that of a method minus that of the reference, cell by cell
//
// A cell is (dataset, seed). The methods have the same cells, and on a dataset every run has the
// same test samples, so everything is paired.
//
// The interval is conditional on the datasets and comes from a two-way bootstrap: each resample
// redraws, dataset by dataset, the test samples (once for all methods and seeds, base, new and
// unknown ones apart) and the seeds (once for all methods), both with replacement. That is Owen's
// "The pigeonhole bootstrap" (Annals of Applied Statistics, 2007): what seeds and samples do
// together is counted up to three times, so the interval is a little too wide rather than too
// narrow. Of S > 1 seeds S - 1 are drawn (McCarthy and Snowden, 1985), which makes the variance
// over seeds right; S draws would make it too small by 1/S, a third with three seeds. With one
// seed only the samples vary, and the interval says nothing of other seeds.
//
// With three or more datasets there is a second, paired t interval over the values of the datasets
// (Student, 1908). It takes the datasets as drawn from a population and asks whether the method
// would be better on the next one; it is usually much wider.
//
// The cost is resamples x runs x (a walk a metric). Deterministic in the seed, the same bits for
// any number of threads.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/metrics/evaluate.h"

namespace openworld {

struct RunOutcomes {
  std::size_t dataset = 0;  // index into RunSet::datasets
  std::uint64_t seed = 0;
  Outcomes outcomes{};
};

struct RunMethod {
  std::string name;
  std::vector<RunOutcomes> runs{};
};

struct RunSet {
  std::vector<std::string> datasets;  // names
  std::vector<RunMethod> methods;
};

// A metric, or a difference of two, averaged over runs.
struct RunMean {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string why{};  // why it is undefined; empty when it is defined
  std::optional<Interval> interval{};
  std::string no_interval{};        // why there is none, when one was asked for
  std::optional<double> p_value{};  // of a difference: two-sided, not adjusted
  bool defined() const { return why.empty(); }
};

struct RunMetric {
  RunMean mean;                               // over datasets and seeds
  std::vector<RunMean> by_dataset{};          // over seeds
  std::vector<std::vector<double>> by_run{};  // [dataset][seed], NaN where undefined
  std::optional<Interval> over_datasets{};    // Student's t, with three datasets or more
  std::optional<double> p_over_datasets{};    // of a difference: its two-sided t test
};

struct RunComparison {
  std::vector<MetricRequest> requests;
  std::vector<std::vector<std::uint64_t>> seeds;  // of each dataset, ascending
  std::size_t reference = 0;
  std::vector<std::vector<RunMetric>> values;  // [method][metric]
  // [method][metric], method minus reference; empty for the reference itself.
  std::vector<std::vector<RunMetric>> differences;
};

// Throws Error on a cell that a method has twice or lacks, on runs of a dataset whose samples
// differ (see same_samples.h), and on invalid outcomes; the message names method, dataset and seed.
// With options.ci none there are values and differences only; any other gives the intervals above,
// as percentiles.
RunComparison compare_runs(const RunSet& runs, std::span<const MetricRequest> requests,
                           std::size_t reference = 0, const EvalOptions& options = {});

}  // namespace openworld

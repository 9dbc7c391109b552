#pragma once

// The runs of compare_runs, checked and ranked, and their metrics on a resample.

#include <memory>
#include <span>
#include <vector>

#include "openworld/analysis/compare_runs.h"
#include "openworld/stats/resampler.h"

namespace openworld {

class RunCells {
 public:
  // Checks what compare_runs promises to check, and ranks every run.
  RunCells(const RunSet& runs, std::span<const MetricRequest> requests, const EvalOptions& options);

  std::size_t methods() const { return methods_; }
  std::size_t datasets() const { return datasets_.size(); }
  const std::vector<std::uint64_t>& seeds(std::size_t dataset) const {
    return datasets_[dataset].seeds;
  }

  // A metric of one run; `seed` is an index into seeds(dataset).
  MetricValue measure(std::size_t method, std::size_t metric, std::size_t dataset,
                      std::size_t seed) const;

  // Means over the drawn seeds on resample number `index`, at means[at(method, metric, dataset)].
  void resample(std::uint64_t index, std::span<double> means) const;
  std::size_t at(std::size_t method, std::size_t metric, std::size_t dataset) const {
    return (method * requests_.size() + metric) * datasets_.size() + dataset;
  }
  std::size_t size() const { return methods_ * requests_.size() * datasets_.size(); }

 private:
  struct OfDataset {
    std::vector<std::uint64_t> seeds{};
    std::vector<std::unique_ptr<RankedScores>> ranked{};  // [seed * methods + method]
    std::vector<MetricOptions> options{};                 // by metric, the open side fixed
    std::unique_ptr<Resampler> resampler{};
    std::uint64_t stream = 0;  // names what is drawn for this dataset
  };

  // How often each of `count` seeds is drawn in resample number `index`.
  static std::vector<int> draw_seeds(std::size_t count, std::uint64_t stream, std::uint64_t index);

  std::size_t methods_;
  std::span<const MetricRequest> requests_;
  std::vector<OfDataset> datasets_;
};

}  // namespace openworld

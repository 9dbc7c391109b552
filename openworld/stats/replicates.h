#pragma once

// The machinery of a stratified bootstrap, for statistics of any kind of sample: replicates of
// statistics under resampled weights, and intervals and p-values from them.
//
// Percentile intervals, and BCa (Efron, "Better bootstrap confidence intervals", JASA 1987), which
// corrects for bias and skewness; its acceleration comes from a jackknife over at most 100 random
// groups of samples a stratum instead of over every sample.
//
// Deterministic in the seed and the same bits for any number of threads.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/stats/interval.h"
#include "openworld/stats/resampler.h"

namespace openworld {

enum class BootstrapKind { kPercentile, kBca };

struct BootstrapOptions {
  BootstrapKind kind = BootstrapKind::kBca;
  double level = 0.95;
  int resamples = 1000;
  std::uint64_t seed = 0;
  int threads = 0;  // 0: every core
  // Called now and then with the number of resamples done, by one thread at a time.
  std::function<void(std::size_t)> progress{};
};

struct BootstrapResult {
  std::optional<Interval> interval;
  std::string why;            // why there is none
  double standard_error = 0;  // standard deviation of the replicates
};

// Fills one value per statistic for the sample with these weights, in the positions of a Resampler.
// Called by several threads at once.
using Evaluator = std::function<void(std::span<const std::uint8_t>, std::span<double>)>;

struct Replicates {
  using Table = std::vector<std::vector<double>>;
  Table drawn;                                    // [statistic][resample]
  std::array<Table, Resampler::kStrata> deleted;  // [stratum][statistic][group left out]; for BCa
};

Replicates replicate(const Resampler& resampler, std::size_t statistics, const Evaluator& evaluate,
                     const BootstrapOptions& options);

// The interval of statistic number `statistic`, whose value on the whole sample is `estimate`.
BootstrapResult interval_from_replicates(double estimate, const Replicates& replicates,
                                         std::size_t statistic, const BootstrapOptions& options);

// Two-sided p-value of "no difference" from replicates of a difference: twice the share on the
// rarer side of zero. The sample itself counts as one resample, so it is never 0.
double bootstrap_p_value(std::span<const double> differences);

// Delete-a-group jackknife: each stratum is dealt at random into at most 100 groups of equal size.
// Random groups keep the skewness that BCa wants; groups along the ranking would hide it.
class Jackknife {
 public:
  Jackknife(const Resampler& resampler, std::uint64_t seed);

  // Number of groups of a stratum: 0 where it has fewer than two samples.
  int groups(int stratum) const { return groups_[stratum]; }

  // One for every position but those of the group.
  void leave_out(int stratum, int group, std::span<std::uint8_t> weights) const;

 private:
  std::array<int, Resampler::kStrata> groups_{};
  std::vector<std::uint16_t> group_of_;  // stratum * 256 + group
};

}  // namespace openworld

#include "openworld/stats/replicates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/base/threads.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

constexpr int kMaxGroups = 100;
constexpr std::uint16_t kNoGroup = 0xffff;
// Replicates that may be undefined (a rate not reached, a class not drawn) before the interval is.
constexpr double kMaxUndefined = 0.05;

// Linear interpolation between order statistics (type 7, NumPy's default).
double quantile(const std::vector<double>& sorted, double p) {
  const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

// Skewness of the statistic's influence, over strata (Davison and Hinkley, Bootstrap Methods and
// their Application, 1997, eq. 5.29).
double acceleration(const Replicates& replicates, std::size_t statistic) {
  double cubes = 0, squares = 0;
  for (const auto& table : replicates.deleted) {
    if (table.empty() || table[statistic].empty()) continue;
    const auto& values = table[statistic];
    const auto groups = static_cast<double>(values.size());
    const double centre = mean(values);
    for (const double value : values) {
      const double influence = (groups - 1) * (centre - value) / groups;
      squares += influence * influence;
      cubes += influence * influence * influence;
    }
  }
  return squares > 0 ? cubes / (6 * squares * std::sqrt(squares)) : 0;
}

double standard_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

double bootstrap_p_value(std::span<const double> differences) {
  std::int64_t low = 1, high = 1;
  for (const double d : differences) {
    low += !(d > 0);  // undefined replicates count for neither side
    high += !(d < 0);
  }
  const double rarer = static_cast<double>(std::min(low, high));
  return std::min(1.0, 2 * rarer / (static_cast<double>(differences.size()) + 1));
}

Jackknife::Jackknife(const Resampler& resampler, std::uint64_t seed)
    : group_of_(resampler.size(), kNoGroup) {
  constexpr std::uint64_t kStream = 0x6a61636b00;  // distinct from the streams of the resamples
  for (int stratum = 0; stratum < Resampler::kStrata; ++stratum) {
    std::vector<std::uint32_t> order = resampler.positions(stratum);
    if (order.size() < 2) continue;
    groups_[stratum] = static_cast<int>(std::min<std::size_t>(order.size(), kMaxGroups));
    Random random(seed, kStream + static_cast<std::uint64_t>(stratum));
    shuffle(order, random);
    for (std::size_t i = 0; i < order.size(); ++i) {
      group_of_[order[i]] = static_cast<std::uint16_t>(stratum * 256 + i % groups_[stratum]);
    }
  }
}

void Jackknife::leave_out(int stratum, int group, std::span<std::uint8_t> weights) const {
  const auto left_out = static_cast<std::uint16_t>(stratum * 256 + group);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = group_of_[i] != left_out;
}

Replicates replicate(const Resampler& resampler, std::size_t statistics, const Evaluator& evaluate,
                     const BootstrapOptions& options) {
  if (options.resamples < 2) {
    fail("bootstrap", fmt::format("{} resamples; expected at least 2", options.resamples));
  }
  std::size_t done = 0;
  std::mutex mutex;
  const auto tell = [&] {
    if (!options.progress) return;
    const std::lock_guard lock(mutex);
    options.progress(++done);
  };
  // Runs `columns` weightings and lays their values out by statistic.
  const auto run = [&](std::size_t columns, const auto& weigh) {
    Replicates::Table table(statistics, std::vector<double>(columns));
    parallel_for(columns, options.threads, [&](std::size_t column) {
      thread_local std::vector<std::uint8_t> weights;
      thread_local std::vector<double> values;
      weights.resize(resampler.size());
      values.resize(statistics);
      weigh(column, weights);
      evaluate(weights, values);
      for (std::size_t s = 0; s < statistics; ++s) table[s][column] = values[s];
      tell();
    });
    return table;
  };
  Replicates replicates;
  replicates.drawn = run(options.resamples,
                         [&](std::size_t index, auto& weights) { resampler.draw(index, weights); });
  if (options.kind == BootstrapKind::kPercentile) return replicates;
  const Jackknife jackknife(resampler, options.seed);
  for (int stratum = 0; stratum < Resampler::kStrata; ++stratum) {
    replicates.deleted[stratum] =
        run(jackknife.groups(stratum), [&](std::size_t group, auto& weights) {
          jackknife.leave_out(stratum, static_cast<int>(group), weights);
        });
  }
  return replicates;
}

BootstrapResult interval_from_replicates(double estimate, const Replicates& replicates,
                                         std::size_t statistic, const BootstrapOptions& options) {
  BootstrapResult result;
  std::vector<double> values = replicates.drawn[statistic];
  const std::size_t drawn = values.size();
  std::erase_if(values, [](double value) { return std::isnan(value); });
  if (static_cast<double>(drawn - values.size()) > kMaxUndefined * static_cast<double>(drawn)) {
    result.why = fmt::format("undefined in {} of {} resamples", drawn - values.size(), drawn);
    return result;
  }
  std::sort(values.begin(), values.end());
  if (values.front() == values.back()) {
    // A zero-width interval would be wrong: 0 errors in 40 samples do not prove an error rate of 0.
    result.why = "every resample gave the same value";
    return result;
  }
  result.standard_error = standard_deviation(values);
  const double tail = (1 - options.level) / 2;
  double low = tail, high = 1 - tail;
  bool corrected = options.kind == BootstrapKind::kBca;
  if (corrected) {
    const auto [first, last] = std::equal_range(values.begin(), values.end(), estimate);
    const auto n = static_cast<double>(values.size());
    const double below =
        (static_cast<double>(first - values.begin()) + 0.5 * static_cast<double>(last - first)) / n;
    // With every replicate on one side the bias correction is infinite; percentiles still stand.
    corrected = below > 0 && below < 1;
    if (corrected) {
      const double bias = normal_quantile(below);
      const double skew = acceleration(replicates, statistic);
      const auto adjust = [&](double p) {
        const double z = bias + normal_quantile(p);
        return normal_cdf(bias + z / (1 - skew * z));
      };
      low = adjust(tail);
      high = adjust(1 - tail);
    }
  }
  result.interval = Interval{.low = quantile(values, low),
                             .high = quantile(values, high),
                             .level = options.level,
                             .method = corrected ? "bootstrap_bca" : "bootstrap_percentile"};
  return result;
}

}  // namespace openworld

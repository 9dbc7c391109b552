#include "openworld/analysis/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/metrics/open_set_counts.h"

namespace openworld {
namespace {

struct Sizes {
  std::int64_t base, new_side;
};

Sizes thinned_sizes(const KindCounts& totals, double ratio, bool relative) {
  const auto base = static_cast<double>(totals.base()),
             new_side = static_cast<double>(totals.new_samples());
  const double rho = relative ? ratio * new_side / base : ratio;
  const auto keep = [](double wanted, std::int64_t all) {
    return static_cast<std::int64_t>(std::clamp(std::round(wanted), 1.0, static_cast<double>(all)));
  };
  if (rho > new_side / base) return {keep(new_side / rho, totals.base()), totals.new_samples()};
  return {totals.base(), keep(base * rho, totals.new_samples())};
}

// Weights 0 and 1 that keep `sizes` samples a side, every choice equally likely; unknown samples
// stay. Selection sampling: Knuth, TAOCP 2, algorithm 3.4.2 S.
void thin(const RankedScores& ranked, const Sizes& sizes, Random& random,
          std::span<std::uint8_t> weights) {
  struct Quota {
    std::int64_t wanted, left;
  };
  Quota base{sizes.base, ranked.totals().base()},
      new_side{sizes.new_side, ranked.totals().new_samples()};
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    const int kind = ranked.codes()[rank] & kKindMask;
    weights[rank] = 1;
    if (kind == kUnknownKind) continue;
    Quota& quota = kind == kBaseRight || kind == kBaseWrong ? base : new_side;
    if (quota.wanted < quota.left) {
      const auto draw =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(quota.left)));
      weights[rank] = draw < quota.wanted;
    }
    quota.wanted -= weights[rank];
    --quota.left;
  }
}

// The mean of the values, or the first that is undefined.
MetricValue mean_of(std::span<const MetricValue> values) {
  double sum = 0;
  for (const MetricValue& value : values) {
    if (!value.defined()) return value;
    sum += value.value;
  }
  return {.value = sum / static_cast<double>(values.size())};
}

MetricValue variance_of(std::span<const MetricValue> values) {
  const MetricValue mean = mean_of(values);
  if (!mean.defined()) return mean;
  if (values.size() < 2) return undefined("one ratio has no variance");
  double sum = 0;
  for (const MetricValue& value : values) {
    sum += (value.value - mean.value) * (value.value - mean.value);
  }
  return {.value = sum / static_cast<double>(values.size() - 1)};
}

MetricValue compute(const MetricRow& row, const Ranking& ranking, const MetricOptions& options) {
  if (&row != &kOverallAcc || ranking.ranked().has_overall()) return row.compute(ranking, options);
  const KindCounts& totals = ranking.totals();
  return overall_at_ratio(
      ranking, static_cast<double>(totals.new_samples()) / static_cast<double>(totals.base()),
      options);
}

}  // namespace

MetricValue overall_at_ratio(const Ranking& ranking, double rho, const MetricOptions& options) {
  if (!(rho >= 0) || std::isinf(rho)) {
    fail("overall_at_ratio", fmt::format("ratio is {}; expected a finite number >= 0", rho));
  }
  const KindCounts& totals = ranking.totals();
  if (totals.base() == 0) return undefined("no base samples");
  if (totals.new_samples() == 0) return undefined("no new samples");
  OverallRight right;
  if (ranking.ranked().has_overall()) {
    right = overall_right(ranking);
  } else if (options.threshold) {
    const KindCounts below = rejected_at(ranking, *options.threshold);
    right = {.base = totals.of[kBaseRight] - below.of[kBaseRight], .new_side = below.of[kNewRight]};
  } else {
    return undefined("needs overall_correct, or a threshold for the two stages");
  }
  const double base = static_cast<double>(right.base) / static_cast<double>(totals.base());
  const double new_side =
      static_cast<double>(right.new_side) / static_cast<double>(totals.new_samples());
  return {.value = (base + rho * new_side) / (1 + rho)};
}

Sensitivity ratio_sensitivity(const RankedScores& ranked, const SensitivityOptions& options) {
  if (ranked.totals().base() == 0) fail("ratio_sensitivity", "no base samples");
  if (ranked.totals().new_samples() == 0) fail("ratio_sensitivity", "no new samples");
  if (options.repeats < 1) {
    fail("ratio_sensitivity", fmt::format("repeats is {}; expected 1 or more", options.repeats));
  }
  if (options.ratios.empty()) fail("ratio_sensitivity", "no ratios; expected at least one");
  Sensitivity result;
  std::vector<std::uint8_t> weights(ranked.size());
  for (std::size_t i = 0; i < options.ratios.size(); ++i) {
    const double ratio = options.ratios[i];
    if (!(ratio > 0) || std::isinf(ratio)) {
      fail("ratio_sensitivity",
           fmt::format("ratio[{}] is {}; expected a finite number > 0", i, ratio));
    }
    const Sizes sizes = thinned_sizes(ranked.totals(), ratio, options.relative);
    SensitivityRow row{.ratio = ratio, .base = 0, .new_side = 0, .values = {}};
    std::array<std::vector<MetricValue>, kSensitivityMetrics.size()> values;
    for (int repeat = 0; repeat < options.repeats; ++repeat) {
      Random random(options.seed, std::uint64_t{i} << 32 | static_cast<std::uint32_t>(repeat));
      thin(ranked, sizes, random, weights);
      const Ranking thinned(ranked, weights);
      row.base = thinned.totals().base();
      row.new_side = thinned.totals().new_samples();
      for (std::size_t m = 0; m < values.size(); ++m) {
        values[m].push_back(compute(*kSensitivityMetrics[m], thinned, options.metric));
      }
    }
    for (std::size_t m = 0; m < values.size(); ++m) row.values[m] = mean_of(values[m]);
    result.rows.push_back(std::move(row));
  }
  for (std::size_t m = 0; m < kSensitivityMetrics.size(); ++m) {
    std::vector<MetricValue> column;
    for (const SensitivityRow& row : result.rows) column.push_back(row.values[m]);
    result.mean[m] = mean_of(column);
    result.variance[m] = variance_of(column);
  }
  return result;
}

}  // namespace openworld

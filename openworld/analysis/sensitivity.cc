#include "openworld/analysis/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "openworld/base/error.h"
#include "openworld/base/random.h"
#include "openworld/metrics/open_set_counts.h"

namespace openworld {
namespace {

struct Sizes {
  std::int64_t base, new_side;
};

// Samples of a class or side: how many are to be kept of how many that are still to come.
struct Quota {
  std::int64_t wanted = 0, left = 0;

  // Whether the next one is kept. Selection sampling: Knuth, TAOCP 2, algorithm 3.4.2 S.
  bool draw(Random& random) {
    bool kept = true;
    if (wanted < left) {
      kept = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(left))) < wanted;
    }
    wanted -= kept ? 1 : 0;
    --left;
    return kept;
  }
};

bool is_base(int kind) {
  return kind == kBaseRight || kind == kBaseWrong;
}

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
// stay.
void thin(const RankedScores& ranked, const Sizes& sizes, Random& random,
          std::span<std::uint8_t> weights) {
  Quota base{sizes.base, ranked.totals().base()},
      new_side{sizes.new_side, ranked.totals().new_samples()};
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    const int kind = ranked.codes()[rank] & kKindMask;
    const bool kept = kind == kUnknownKind || (is_base(kind) ? base : new_side).draw(random);
    weights[rank] = kept ? 1 : 0;
  }
}

// Those of classes by label. A label may be any number below 2^31, whatever the number of rows.
class ClassQuotas {
 public:
  Quota& of(std::size_t label) {
    if (label >= kNear) return far_[label];
    if (label >= near_.size()) near_.resize(label + 1);
    return near_[label];
  }

  template <class F>
  void for_each(F&& take) {
    for (Quota& quota : near_) take(quota);
    for (auto& [label, quota] : far_) take(quota);
  }

 private:
  static constexpr std::size_t kNear = 1 << 16;
  std::vector<Quota> near_;
  std::unordered_map<std::size_t, Quota> far_;
};

// The same, class by class: above ratio 1 every base class is thinned to 1 / ratio, below it every
// new class to the ratio.
void thin_classes(const RankedScores& ranked, double ratio, Random& random,
                  std::span<std::uint8_t> weights) {
  std::array<ClassQuotas, 2> quotas;  // of base classes and of new ones
  const auto quota_of = [&](std::size_t rank) -> Quota& {
    const bool base = is_base(ranked.codes()[rank] & kKindMask);
    return quotas[base ? 0 : 1].of(
        static_cast<std::size_t>(ranked.outcomes().label[ranked.order()[rank]]));
  };
  const auto is_known = [&](std::size_t rank) {
    return (ranked.codes()[rank] & kKindMask) != kUnknownKind;
  };
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    if (is_known(rank)) ++quota_of(rank).left;
  }
  const std::array<double, 2> shares = {ratio > 1 ? 1 / ratio : 1, ratio < 1 ? ratio : 1};
  for (std::size_t side = 0; side < quotas.size(); ++side) {
    quotas[side].for_each([&](Quota& quota) {
      // A hair more, so that 0.2 * 30 is 6 in floating point, too.
      const double wanted = shares[side] * static_cast<double>(quota.left) * (1 + 1e-12);
      quota.wanted = std::min(quota.left, static_cast<std::int64_t>(std::max(wanted, 1.0)));
    });
  }
  for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
    weights[rank] = !is_known(rank) || quota_of(rank).draw(random) ? 1 : 0;
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
  const bool by_class =
      options.relative && !ranked.order().empty() && !ranked.outcomes().label.empty();
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
      if (by_class) {
        thin_classes(ranked, ratio, random, weights);
      } else {
        thin(ranked, sizes, random, weights);
      }
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

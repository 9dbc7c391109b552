#include "openworld/metrics/fpr_at_tpr.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/base/simd.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

// The kinds of a side stand next to each other.
struct KindRange {
  Kind first, last;

  std::uint8_t has(std::uint8_t code) const {
    return static_cast<std::uint8_t>((code & kKindMask) - first) <= last - first;
  }
};

constexpr KindRange kBaseKinds = {kBaseWrong, kBaseRight};

KindRange kinds_of(Side open) {
  return open == Side::kNew ? KindRange{kNewWrong, kNewRight}
                            : KindRange{kUnknownKind, kUnknownKind};
}

OPENWORLD_SIMD std::int64_t count_once(const std::uint8_t* codes, std::size_t n, KindRange kinds) {
  constexpr std::size_t kBytes = 255;  // a byte holds the sum of so many
  std::int64_t total = 0;
  for (std::size_t begin = 0; begin < n; begin += kBytes) {
    const std::size_t end = std::min(begin + kBytes, n);
    std::uint8_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += kinds.has(codes[i]);
    total += sum;
  }
  return total;
}

OPENWORLD_SIMD std::int64_t count_weighted(const std::uint8_t* codes, const std::uint8_t* weights,
                                           std::size_t n, KindRange kinds) {
  constexpr std::size_t kShorts = 257;  // 16 bits hold the sum of so many weights
  std::int64_t total = 0;
  for (std::size_t begin = 0; begin < n; begin += kShorts) {
    const std::size_t end = std::min(begin + kShorts, n);
    std::uint16_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
      sum += static_cast<std::uint8_t>(kinds.has(codes[i]) * weights[i]);
    }
    total += sum;
  }
  return total;
}

// Samples of `kinds` in ranks [begin, end).
std::int64_t count(const Ranking& ranking, std::size_t begin, std::size_t end, KindRange kinds) {
  const std::uint8_t* codes = ranking.codes().data() + begin;
  if (ranking.weights().empty()) return count_once(codes, end - begin, kinds);
  return count_weighted(codes, ranking.weights().data() + begin, end - begin, kinds);
}

// The rank of the k-th sample of `kinds`, k from 1, or the number of ranks when there are fewer.
std::size_t rank_of(const Ranking& ranking, std::int64_t k, KindRange kinds) {
  constexpr std::size_t kBlock = 16384;
  const std::size_t n = ranking.codes().size();
  std::int64_t seen = 0;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t end = std::min(begin + kBlock, n);
    const std::int64_t more = count(ranking, begin, end, kinds);
    if (seen + more < k) {
      seen += more;
      continue;
    }
    for (std::size_t i = begin;; ++i) {
      seen += count(ranking, i, i + 1, kinds);
      if (seen >= k) return i;
    }
  }
  return n;
}

// The fewest of `total` that make a rate of at least q, for q in [0, 1].
std::int64_t count_for(double q, std::int64_t total) {
  const auto n = static_cast<double>(total);
  auto k = static_cast<std::int64_t>(std::ceil(q * n));
  while (k > 0 && static_cast<double>(k - 1) / n >= q) --k;
  while (static_cast<double>(k) / n < q) ++k;
  return k;
}

MetricValue at_tpr(const Ranking& ranking, const MetricRow& row, const MetricOptions& options) {
  const TwoSides sides = two_sides(row, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];
  if (!(q >= 0 && q <= 1)) return undefined(fmt::format("no threshold has a TPR of {}", q));

  const auto codes = ranking.codes();
  const auto weights = ranking.weights();
  const bool base_positive = row.positive == Positive::kBase;
  const KindRange open_kinds = kinds_of(sides.open);
  // Samples at ranks below `cut` lie below the threshold or on it.
  std::size_t cut = 0;
  if (base_positive) {
    // The group of the first base sample too many to lose stays above.
    cut = rank_of(ranking, sides.base - count_for(q, sides.base) + 1, kBaseKinds);
    while (cut > 0 && !(codes[cut - 1] & kLastOfTie)) --cut;
  } else if (const std::int64_t needed = count_for(q, sides.other); needed > 0) {
    cut = rank_of(ranking, needed, open_kinds) + 1;
    while (!(codes[cut - 1] & kLastOfTie)) ++cut;
  }
  const std::int64_t below = count(ranking, 0, cut, base_positive ? open_kinds : kBaseKinds);
  const std::int64_t wrong = base_positive ? sides.other - below : below;
  const std::int64_t negatives = base_positive ? sides.other : sides.base;
  // A sample of weight zero gives no threshold.
  while (cut > 0 && !weights.empty() && weights[cut - 1] == 0) --cut;
  return {.value = static_cast<double>(wrong) / static_cast<double>(negatives),
          .threshold = ranking.threshold(cut > 0 ? cut - 1 : Ranking::kBeforeAll)};
}

}  // namespace

MetricValue fpr_at_tpr(const Ranking& ranking, const MetricOptions& options) {
  return at_tpr(ranking, kFprAtTpr, options);
}

MetricValue fpr_at_tpr_new(const Ranking& ranking, const MetricOptions& options) {
  return at_tpr(ranking, kFprAtTprNew, options);
}

constinit const MetricRow kFprAtTpr = {
    .info =
        {
            .name = "fpr_at_{}tpr",
            .aliases = "fpr95",
            .family = "threshold",
            .title = "FPR at {} % TPR",
            .brief = "share of the open side taken for base when base samples reach the TPR",
            .citation =
                "Hendrycks and Gimpel, A baseline for detecting out-of-distribution, ICLR 2017",
            .higher_is_better = false,
            .params = {0.95},
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNewFirst,
    .compute = fpr_at_tpr,
};

constinit const MetricRow kFprAtTprNew = {
    .info =
        {
            .name = "fpr_at_{}tpr_new",
            .family = "threshold",
            .title = "FPR at {} % TPR, new positive",
            .brief = "share of base samples taken for open when the open side reaches the TPR",
            .citation =
                "Hendrycks and Gimpel, A baseline for detecting out-of-distribution, ICLR 2017",
            .higher_is_better = false,
            .params = {0.95},
        },
    .positive = Positive::kOpen,
    .open = OpenRule::kNewFirst,
    .compute = fpr_at_tpr_new,
};

}  // namespace openworld

#include "openworld/metrics/delong.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "openworld/base/simd.h"
#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

constexpr std::size_t kLanes = 4;
using Lanes __attribute__((vector_size(kLanes * sizeof(double)))) = double;

// Sums of squared placements for four kernels, one a lane, in units of pairs.
struct Walk {
  Lanes base[8] = {};   // 1 where the kernel of the lane takes this kind as base
  Lanes other[8] = {};  // ... as other
  Lanes half = {};      // what a tie counts
  Lanes above = {};     // base samples not yet passed
  Lanes base_squares = {};
  Lanes other_squares = {};
};

// The value where the mask is all ones, zero where it is zero.
using Masks __attribute__((vector_size(kLanes * sizeof(double)))) = std::int64_t;
// Whether four samples in a row each end a group; so does the one before them.
inline bool four_alone(const std::uint8_t* codes) {
  std::uint32_t flags;
  std::memcpy(&flags, codes, 4);
  return (flags & 0x80808080u) == 0x80808080u;
}

constexpr Masks kMore[2] = {{-1, -1, -1, -1}, {}};  // by whether it is the last of its group
#define OPENWORLD_KEEP(value, mask) ((Lanes)((Masks)(value) & (mask)))

// Every sample does the arithmetic of a group's end, masked out unless it is one: cheaper than a
// branch, since two thirds of 1e7 float scores are tied at random. Where ties are rare, four groups
// of one in a row are common, and need half of it.
OPENWORLD_SIMD void walk_groups(std::span<const std::uint8_t> codes, bool few_ties, Walk& walk) {
  const Lanes half = walk.half, rest = 1 - walk.half;
  Lanes below{}, above = walk.above, base{}, other{}, base_squares{}, other_squares{};
  bool in_group = !few_ties;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    while (!in_group && i + 4 < codes.size() && four_alone(&codes[i])) {
      for (const std::size_t end = i + 4; i < end; ++i) {
        const Lanes one_base = walk.base[codes[i] & kKindMask];
        const Lanes one_other = walk.other[codes[i] & kKindMask];
        base_squares += one_base * (below * below);
        other_squares += one_other * (above * above);
        below += one_other;
        above -= one_base;
      }
    }
    const std::uint8_t code = codes[i];
    in_group = !few_ties || !(code & kLastOfTie);
    base += walk.base[code & kKindMask];
    other += walk.other[code & kKindMask];
    const Masks more = kMore[code >> 7];
    const Lanes ended_base = OPENWORLD_KEEP(base, ~more);
    const Lanes ended_other = OPENWORLD_KEEP(other, ~more);
    const Lanes wins = below + half * other;
    const Lanes losses = above - rest * base;
    base_squares += ended_base * (wins * wins);
    other_squares += ended_other * (losses * losses);
    below += ended_other;
    above -= ended_base;
    base = OPENWORLD_KEEP(base, more);
    other = OPENWORLD_KEEP(other, more);
  }
  walk.base_squares = base_squares;
  walk.other_squares = other_squares;
}
#undef OPENWORLD_KEEP

// Sample variance over n values of which the sum and the sum of squares are known.
double sample_variance(double sum, double squares, double n) {
  return std::max(0.0, (squares - sum * sum / n) / (n - 1));
}

Kind kind_at(std::size_t index) {
  return static_cast<Kind>(index);
}

}  // namespace

std::vector<double> delong_variances(const Ranking& ranking,
                                     std::span<const UStatistic> statistics) {
  assert(ranking.weights().empty());
  const KindCounts& totals = ranking.totals();
  const bool few_ties = ranking.ranked().tied() < totals.all() / 4;
  std::vector<double> variances;
  for (std::size_t first = 0; first < statistics.size(); first += kLanes) {
    const auto batch = statistics.subspan(first, std::min(kLanes, statistics.size() - first));
    Walk walk;
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      const PairKernel& kernel = batch[lane].kernel;
      for (std::size_t k = 0; k < kKinds; ++k) {
        walk.base[k][lane] = kernel.takes_base(kind_at(k));
        walk.other[k][lane] = kernel.takes_other(kind_at(k));
        if (kernel.takes_base(kind_at(k))) walk.above[lane] += static_cast<double>(totals.of[k]);
      }
      walk.half[lane] = batch[lane].ties == Ties::kHalf ? 0.5 : 0;
    }
    walk_groups(ranking.codes(), few_ties, walk);
    for (std::size_t lane = 0; lane < batch.size(); ++lane) {
      const auto& [kernel, ties] = batch[lane];
      const auto n_base = static_cast<double>(totals.base());
      const auto n_other = static_cast<double>(totals.open(kernel.open));
      const double sum = 0.5 * static_cast<double>(half_pairs(ranking.pairs(), kernel, ties));
      const double base = sample_variance(sum, walk.base_squares[lane], n_base);
      const double other = sample_variance(sum, walk.other_squares[lane], n_other);
      variances.push_back(base / (n_other * n_other * n_base) +
                          other / (n_base * n_base * n_other));
    }
  }
  return variances;
}

std::vector<double> placements(const Ranking& ranking, const UStatistic& statistic) {
  const RankedScores& ranked = ranking.ranked();
  assert(ranked.order().size() == ranked.size());
  const PairKernel& kernel = statistic.kernel;
  const double half = statistic.ties == Ties::kHalf ? 0.5 : 0;
  const auto n_base = static_cast<double>(ranking.totals().base());
  const auto n_other = static_cast<double>(ranking.totals().open(kernel.open));
  const auto chosen = [&](const KindCounts& counts, bool base) {
    double sum = 0;
    for (std::size_t k = 0; k < kKinds; ++k) {
      const bool takes = base ? kernel.takes_base(kind_at(k)) : kernel.takes_other(kind_at(k));
      if (takes) sum += static_cast<double>(counts.of[k]);
    }
    return sum;
  };
  std::vector<double> result(ranked.size());
  double below = 0, above = chosen(ranking.totals(), true);
  std::size_t begin = 0;
  ranking.for_each_group([&](std::size_t last, const KindCounts& group) {
    const double base = chosen(group, true);
    const double other = chosen(group, false);
    above -= base;
    for (; begin <= last; ++begin) {
      const Kind kind = kind_at(ranked.codes()[begin] & kKindMask);
      double& placement = result[ranked.order()[begin]];
      if (kernel.takes_base(kind)) placement = (below + half * other) / n_other;
      if (kernel.takes_other(kind)) placement = (above + half * base) / n_base;
    }
    below += other;
  });
  return result;
}

void logit_interval(double value, double variance, double level, double& low, double& high) {
  assert(value > 0 && value < 1 && variance > 0);
  const double z = normal_quantile(0.5 + level / 2);
  const double logit = std::log(value / (1 - value));
  const double reach = z * std::sqrt(variance) / (value * (1 - value));
  low = 1 / (1 + std::exp(-(logit - reach)));
  high = 1 / (1 + std::exp(-(logit + reach)));
}

}  // namespace openworld

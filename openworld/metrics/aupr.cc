#include "openworld/metrics/aupr.h"

#include <algorithm>
#include <bit>

#include "openworld/base/simd.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

// Two counts in one word, so that one addition moves both: positives below, all samples of the two
// sides above. Relative to the start of a block of kBlock samples of weight at most 255, neither
// half overflows.
using Pair = std::uint64_t;
constexpr Pair kPositive = (Pair{1} << 32) + 1;
constexpr Pair kNegative = Pair{1} << 32;
constexpr std::size_t kBlock = 2048;  // the ends of its groups, 16 KiB, stay in the first cache

struct Counts {
  std::int64_t positive = 0;
  std::int64_t all = 0;

  Counts operator+(Pair pair) const {
    return {positive + static_cast<std::int64_t>(pair & 0xffffffff),
            all + static_cast<std::int64_t>(pair >> 32)};
  }
};

using Roles = std::array<Pair, 8>;  // by kind; zero for samples of a side left out

Roles roles_of(Side open, Positive positive) {
  const Pair base = positive == Positive::kBase ? kPositive : kNegative;
  const Pair other = positive == Positive::kBase ? kNegative : kPositive;
  Roles roles{};
  roles[kBaseWrong] = roles[kBaseRight] = base;
  if (open == Side::kNew) roles[kNewWrong] = roles[kNewRight] = other;
  if (open == Side::kUnknown) roles[kUnknownKind] = other;
  return roles;
}

// Appends to `ends` the counts at the last sample of each group, and returns how many there are.
// `sum` becomes the counts of the block. Every count is written and only the index depends on the
// data: ties cannot be predicted.
std::size_t group_ends(std::span<const std::uint8_t> codes, const std::uint8_t* weights,
                       const Roles& roles, Pair* ends, Pair& sum) {
  const Roles role = roles;
  Pair total = 0;
  std::size_t groups = 0;
  if (weights == nullptr) {
    for (const std::uint8_t code : codes) {
      total += role[code & kKindMask];
      ends[groups] = total;
      groups += code >> 7;
    }
  } else {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      total += role[codes[i] & kKindMask] * weights[i];
      ends[groups] = total;
      groups += codes[i] >> 7;
    }
  }
  sum = total;
  return groups;
}

constexpr int kLanes = 4;
using Doubles __attribute__((vector_size(kLanes * sizeof(double)))) = double;
using Words __attribute__((vector_size(kLanes * sizeof(Pair)))) = Pair;

// How a count below a threshold becomes a count of samples called positive: as it is when the open
// side is positive, taken from the total when the base side is.
struct Frame {
  double positive, all, sign;
};

// sum_k |tp_k - tp_{k-1}| precision_{k - shift} for the groups k = 1 .. n - 1 that end at `ends`,
// which is readable up to the next multiple of kLanes plus one. Small integers become doubles by
// being written into the mantissa of 2^52.
OPENWORLD_SIMD double sum_precisions(const Pair* ends, std::size_t n, const Frame& frame,
                                     std::size_t shift) {
  constexpr double kTwo52 = 4503599627370496.0;
  const Words mantissa = Words{} + std::bit_cast<Pair>(kTwo52);
  const Words half = Words{} + 0xffffffffu;
  Doubles sum = {};
  for (std::size_t k = 1; k < n; k += kLanes) {
    Words before, after, at;
    __builtin_memcpy(&before, ends + k - 1, sizeof before);
    __builtin_memcpy(&after, ends + k, sizeof after);
    __builtin_memcpy(&at, ends + k - shift, sizeof at);
    const Words step = (after & half) - (before & half);
    const Doubles count = reinterpret_cast<Doubles>(step | mantissa) - kTwo52;
    const Doubles tp_below = reinterpret_cast<Doubles>((at & half) | mantissa) - kTwo52;
    const Doubles all_below = reinterpret_cast<Doubles>((at >> 32) | mantissa) - kTwo52;
    const Doubles tp = frame.positive + frame.sign * tp_below;
    const Doubles all = frame.all + frame.sign * all_below;
    const Doubles precision = all > 0.0 ? tp / all : Doubles{} + 1.0;
    sum += count * precision;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The Riemann sum of precision over recall, with the precision at the end of larger recall of each
// step (average precision) or at the other.
double riemann(const Ranking& ranking, const TwoSides& sides, Positive positive, bool at_larger) {
  const bool base = positive == Positive::kBase;
  const Roles roles = roles_of(sides.open, positive);
  const auto codes = ranking.codes();
  const auto weights = ranking.weights();
  const std::int64_t all_total = sides.base + sides.other;
  const std::int64_t positives = base ? sides.base : sides.other;

  // Thresholds ascend in r, so recall falls for base samples and rises for open ones.
  const std::size_t shift = base == at_larger ? 1 : 0;
  const auto precision = [&](const Counts& below) {
    const std::int64_t tp = base ? positives - below.positive : below.positive;
    const std::int64_t all = base ? all_total - below.all : below.all;
    return all > 0 ? static_cast<double>(tp) / static_cast<double>(all) : 1.0;
  };

  Pair ends[kBlock + kLanes];
  double sum = 0;
  Counts start, end;  // below the block, and below the current group
  for (std::size_t begin = 0; begin < codes.size(); begin += kBlock) {
    const std::size_t n = std::min(kBlock, codes.size() - begin);
    Pair block = 0;
    const std::size_t groups = group_ends(
        codes.subspan(begin, n), weights.empty() ? nullptr : &weights[begin], roles, ends, block);
    if (groups > 0) {
      // The first group may have begun in an earlier block.
      const Counts first = start + ends[0];
      sum += static_cast<double>(first.positive - end.positive) * precision(shift ? end : first);
      end = start + ends[groups - 1];
      std::fill_n(ends + groups, kLanes, ends[groups - 1]);
      const double sign = base ? -1 : 1;
      sum +=
          sum_precisions(ends, groups,
                         {static_cast<double>(base ? positives - start.positive : start.positive),
                          static_cast<double>(base ? all_total - start.all : start.all), sign},
                         shift);
    }
    start = start + block;
  }
  return sum / static_cast<double>(positives);
}

MetricValue area(const Ranking& ranking, const MetricRow& row, const MetricOptions& options,
                 bool trapezoid) {
  const TwoSides sides = two_sides(row, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double larger = riemann(ranking, sides, row.positive, true);
  if (!trapezoid) return {.value = larger};
  return {.value = (larger + riemann(ranking, sides, row.positive, false)) / 2};
}

}  // namespace

MetricValue aupr_base(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kAuprBase, options, false);
}

MetricValue aupr_new(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kAuprNew, options, false);
}

MetricValue aupr_base_trapezoid(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kAuprBaseTrapezoid, options, true);
}

MetricValue aupr_new_trapezoid(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kAuprNewTrapezoid, options, true);
}

constinit const MetricRow kAuprBase = {
    .info =
        {
            .name = "aupr_base",
            .aliases = "aupr,aupr_in",
            .family = "ranking",
            .title = "AUPR (base)",
            .brief = "average precision with base samples as the positives",
            .citation = "Davis and Goadrich, Precision-Recall and ROC curves, ICML 2006",
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNewFirst,
    .compute = aupr_base,
};

constinit const MetricRow kAuprNew = {
    .info =
        {
            .name = "aupr_new",
            .aliases = "aupr_out",
            .family = "ranking",
            .title = "AUPR (new)",
            .brief = "average precision with the open side as the positives",
            .citation = "Davis and Goadrich, Precision-Recall and ROC curves, ICML 2006",
            .standard = true,
        },
    .positive = Positive::kOpen,
    .open = OpenRule::kNewFirst,
    .compute = aupr_new,
};

constinit const MetricRow kAuprBaseTrapezoid = {
    .info =
        {
            .name = "aupr_base_trapezoid",
            .family = "ranking",
            .title = "AUPR (base, trapezoid)",
            .brief = "area under the joined precision-recall points, base samples positive",
            .citation = "Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNewFirst,
    .compute = aupr_base_trapezoid,
};

constinit const MetricRow kAuprNewTrapezoid = {
    .info =
        {
            .name = "aupr_new_trapezoid",
            .family = "ranking",
            .title = "AUPR (new, trapezoid)",
            .brief = "area under the joined precision-recall points, open side positive",
            .citation = "Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
        },
    .positive = Positive::kOpen,
    .open = OpenRule::kNewFirst,
    .compute = aupr_new_trapezoid,
};

}  // namespace openworld

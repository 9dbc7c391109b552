#include "openworld/metrics/hit_at_miss.h"

#include <fmt/format.h>

#include "openworld/metrics/two_sides.h"

namespace openworld {

MetricValue hit_at_miss(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kHitAtMiss, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const std::int64_t wrong = ranking.totals().of[kBaseWrong];
  const auto miss_rate = [&](std::int64_t right_below) {
    return static_cast<double>(wrong + right_below) / static_cast<double>(sides.base);
  };
  const double a = options.params[0];
  if (!(miss_rate(0) <= a)) {
    return undefined(
        fmt::format("the classifier alone misses {:.3f} of the base samples", miss_rate(0)));
  }
  std::int64_t hits = 0;
  std::size_t at = Ranking::kBeforeAll;
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    if (miss_rate(below.of[kBaseRight]) > a) return false;
    if (below.of[kNewRight] > hits) {
      hits = below.of[kNewRight];
      at = rank;
    }
    return true;
  });
  return {.value = static_cast<double>(hits) / static_cast<double>(sides.other),
          .threshold = ranking.threshold(at)};
}

constinit const MetricRow kHitAtMiss = {
    .info =
        {
            .name = "hit_at_{}miss",
            .aliases = "hit_rate",
            .family = "threshold",
            .title = "HitRate at {} % miss",
            .brief = "share of new samples found and named right at a miss rate of base samples",
            .citation = "Hua et al., OpenworldAUC, ICML 2025",
            .params = {0.10},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNew,
    .compute = hit_at_miss,
};

}  // namespace openworld

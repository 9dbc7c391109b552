#include "openworld/metrics/error_at_tpr.h"

#include <cmath>

#include "openworld/metrics/two_sides.h"

namespace openworld {

MetricValue error_at_tpr(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kErrorAtTpr, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];

  // The curve begins above every open score, where nothing is called open.
  double nearest = std::abs(0.0 - q);
  std::int64_t wrong = sides.other;
  std::size_t at = Ranking::kBeforeAll;

  KindCounts before;
  std::size_t previous = Ranking::kBeforeAll;
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    // A score of neither side is not a point of the curve.
    if (below.base() == before.base() && below.open(sides.open) == before.open(sides.open))
      return true;
    const double tpr =
        static_cast<double>(below.open(sides.open)) / static_cast<double>(sides.other);
    if (const double distance = std::abs(tpr - q); distance <= nearest) {
      nearest = distance;
      wrong = before.base() + (sides.other - before.open(sides.open));
      at = previous;
    }
    before = below;
    previous = rank;
    return true;
  });
  return {.value = static_cast<double>(wrong) / static_cast<double>(sides.base + sides.other),
          .threshold = ranking.threshold(at)};
}

constinit const MetricRow kErrorAtTpr = {
    .info =
        {
            .name = "error_at_{}tpr",
            .aliases = "error95",
            .family = "threshold",
            .title = "Error at {} % TPR",
            .brief = "share of wrong base-or-open decisions when the open side reaches the TPR",
            .citation = "Wang et al., OpenAUC, NeurIPS 2022",
            .higher_is_better = false,
            .params = {0.95},
        },
    .positive = Positive::kOpen,
    .open = OpenRule::kUnknownFirst,
    .compute = error_at_tpr,
};

}  // namespace openworld

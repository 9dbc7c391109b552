#include "openworld/metrics/recall_at_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "openworld/metrics/pr_curve.h"

namespace openworld {

MetricValue recall_at_precision(const Ranking& ranking, const MetricOptions& options) {
  constexpr double kTolerance = 0.01;  // of the published rule
  const TwoSides sides = two_sides(kRecallAtPrecision, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];
  PrPoint nearest{};
  double distance = std::numeric_limits<double>::infinity();
  for_each_pr_point(ranking, sides, [&](const PrPoint& point) {
    if (const double d = std::abs(point.precision - q); d < distance) {
      distance = d;
      nearest = point;
    }
    return true;
  });
  if (!(distance < kTolerance)) {
    return undefined(fmt::format("not achieved: nearest precision is {:.3f}", nearest.precision));
  }
  return {.value = nearest.recall, .threshold = ranking.threshold(nearest.rank)};
}

MetricValue recall_at_precision_exact(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kRecallAtPrecisionExact, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];
  PrPoint found{};
  double highest = 0;
  for_each_pr_point(ranking, sides, [&](const PrPoint& point) {
    if (point.accepted == 0) return false;
    highest = std::max(highest, point.precision);
    if (!(point.precision >= q)) return true;
    found = point;  // recall falls as t rises: the first is the largest
    return false;
  });
  if (found.accepted == 0) {
    return undefined(
        fmt::format("precision {} is never reached; the highest is {:.3f}", q, highest));
  }
  return {.value = found.recall, .threshold = ranking.threshold(found.rank)};
}

constinit const MetricRow kRecallAtPrecision = {
    .info =
        {
            .name = "r_at_{}p",
            .aliases = "r95p",
            .family = "threshold",
            .title = "R at {} % P",
            .brief = "share of base samples accepted at the precision nearest to the one asked for",
            .citation = "Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
            .params = {0.95},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = recall_at_precision,
};

constinit const MetricRow kRecallAtPrecisionExact = {
    .info =
        {
            .name = "r_at_{}p_exact",
            .family = "threshold",
            .title = "R at {} % P, exact",
            .brief = "largest share of base samples accepted with at least the precision asked for",
            .citation = "after Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
            .params = {0.95},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = recall_at_precision_exact,
};

}  // namespace openworld

#include "openworld/metrics/precision_at_recall.h"

#include <fmt/format.h>

#include <cmath>

#include "openworld/metrics/pr_curve.h"

namespace openworld {

MetricValue precision_at_recall(const Ranking& ranking, const MetricOptions& options) {
  constexpr double kTolerance = 0.01;  // of the published rule
  const TwoSides sides = two_sides(kPrecisionAtRecall, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];
  PrPoint nearest{};
  double distance = std::numeric_limits<double>::infinity();
  for_each_pr_point(ranking, sides, [&](const PrPoint& point) {
    if (const double d = std::abs(point.recall - q); d < distance) {
      distance = d;
      nearest = point;
    }
    return true;
  });
  if (!(distance < kTolerance)) {
    return undefined(fmt::format("not achieved: nearest recall is {:.3f}", nearest.recall));
  }
  return {.value = nearest.precision, .threshold = ranking.threshold(nearest.rank)};
}

MetricValue precision_at_recall_exact(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kPrecisionAtRecallExact, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const double q = options.params[0];
  PrPoint best{.precision = -1};
  for_each_pr_point(ranking, sides, [&](const PrPoint& point) {
    if (!(point.recall >= q) || point.accepted == 0) return false;  // both only fall from here
    if (point.precision > best.precision) best = point;
    return true;
  });
  if (best.accepted == 0) return undefined(fmt::format("no threshold has a recall of {}", q));
  return {.value = best.precision, .threshold = ranking.threshold(best.rank)};
}

constinit const MetricRow kPrecisionAtRecall = {
    .info =
        {
            .name = "p_at_{}r",
            .aliases = "p95r",
            .family = "threshold",
            .title = "P at {} % R",
            .brief = "precision of accepted samples at the recall nearest to the one asked for",
            .citation = "Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
            .params = {0.95},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = precision_at_recall,
};

constinit const MetricRow kPrecisionAtRecallExact = {
    .info =
        {
            .name = "p_at_{}r_exact",
            .family = "threshold",
            .title = "P at {} % R, exact",
            .brief = "largest precision of accepted samples with at least the recall asked for",
            .citation = "after Miller et al., Open-Set Recognition in the Age of VLMs, ECCV 2024",
            .params = {0.95},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = precision_at_recall_exact,
};

}  // namespace openworld

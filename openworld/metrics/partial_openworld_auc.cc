#include "openworld/metrics/partial_openworld_auc.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

// Twice the area above `floor` of the first `width` of a group, whose line starts at `low` and
// rises by `slope` for each step in width.
double twice_area(double width, double low, double slope, double floor) {
  if (low < floor) {
    const double crossing = slope > 0 ? (floor - low) / slope : width;
    if (crossing >= width) return 0;
    width -= crossing;
    low = floor;
  }
  return width * (2 * (low - floor) + slope * width);
}

MetricValue area(const Ranking& ranking, const MetricRow& row, const MetricOptions& options,
                 double a, double b) {
  const TwoSides sides = two_sides(row, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  const KindCounts& totals = ranking.totals();
  const auto base = static_cast<double>(sides.base), new_side = static_cast<double>(sides.other);
  const double start = static_cast<double>(totals.of[kBaseWrong]) / base;
  if (!(start <= a)) {
    return undefined(fmt::format("the classifier alone misses {:.3f} of the base samples", start));
  }
  // In samples: how many right base samples may lie below t, and the hits that do not count.
  const double most = std::max(a * base - static_cast<double>(totals.of[kBaseWrong]), 0.0);
  const double floor = b * new_side;
  const bool half = options.ties.value_or(*row.ties) == Ties::kHalf;

  std::int64_t whole = 0, whole_width = 0;  // of groups that neither a nor b cuts
  double cut = 0;
  KindCounts before;
  ranking.for_each_threshold([&](std::size_t, const KindCounts& below) {
    const std::int64_t low = before.of[kNewRight],
                       width = below.of[kBaseRight] - before.of[kBaseRight];
    const std::int64_t rise = half ? below.of[kNewRight] - low : 0;
    const double room = most - static_cast<double>(before.of[kBaseRight]);
    before = below;
    if (width == 0) return true;
    if (static_cast<double>(width) <= room && static_cast<double>(low) >= floor) {
      whole += width * (2 * low + rise);
      whole_width += width;
    } else {
      cut += twice_area(std::min(static_cast<double>(width), room), static_cast<double>(low),
                        static_cast<double>(rise) / static_cast<double>(width), floor);
    }
    return static_cast<double>(below.of[kBaseRight]) < most;
  });
  const double twice =
      static_cast<double>(whole) - 2 * floor * static_cast<double>(whole_width) + cut;
  return {.value = 0.5 * twice / (base * new_side)};
}

}  // namespace

MetricValue partial_openworld_auc(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kPartialOpenworldAuc, options, options.params[0], 0);
}

MetricValue two_way_openworld_auc(const Ranking& ranking, const MetricOptions& options) {
  return area(ranking, kTwoWayOpenworldAuc, options, options.params[0], options.params[1]);
}

constinit const MetricRow kPartialOpenworldAuc = {
    .info =
        {
            .name = "openworld_auc_at_{}miss",
            .family = "ranking",
            .title = "OpenworldAUC up to {} % miss",
            .brief = "area under hit rate over miss rate, up to a miss rate",
            .citation = "after Dodd and Pepe, Partial AUC, Biometrics 2003",
            .params = {0.10},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNew,
    .ties = Ties::kStrict,
    .compute = partial_openworld_auc,
};

constinit const MetricRow kTwoWayOpenworldAuc = {
    .info =
        {
            .name = "openworld_auc_at_{}miss_{}hit",
            .family = "ranking",
            .title = "OpenworldAUC up to {} % miss from {} % hit",
            .brief = "area under hit rate over miss rate, up to a miss rate and above a hit rate",
            .citation = "after Yang et al., Two-way partial AUC, 2019",
            .params = {0.50, 0.20},
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNew,
    .ties = Ties::kStrict,
    .compute = two_way_openworld_auc,
};

}  // namespace openworld

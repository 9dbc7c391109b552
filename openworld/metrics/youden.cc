#include "openworld/metrics/youden.h"

#include "openworld/metrics/open_set_counts.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {

MetricValue youden_j(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kYoudenJ, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  if (auto why = missing_classes(ranking); !why.empty()) return undefined(why);
  ClassCounts counts(ranking, sides.open);
  // The grid of the options belongs to the F-scores.
  return best_over_thresholds(
      ranking, MetricOptions{.threshold = options.threshold},
      [&](std::size_t rank) { counts.reject(rank); },
      [&](const KindCounts&) { return counts.recall() + counts.specificity() - 1; });
}

constinit const MetricRow kYoudenJ = {
    .info =
        {
            .name = "youden_j",
            .aliases = "youden",
            .family = "open-set",
            .title = "Youden's J",
            .brief = "mean TP rate plus mean TN rate of the closed classes minus 1, at the best "
                     "threshold",
            .citation =
                "Youden, Index for rating diagnostic tests, 1950; Wang et al., OpenAUC, 2022",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .needs = kNeedsPredicted,
    .compute = youden_j,
};

}  // namespace openworld

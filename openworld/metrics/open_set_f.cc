#include "openworld/metrics/open_set_f.h"

#include "openworld/metrics/open_set_counts.h"
#include "openworld/metrics/two_sides.h"

namespace openworld {
namespace {

double f_score(double precision, double recall) {
  return precision + recall > 0 ? 2 * precision * recall / (precision + recall) : 0;
}

}  // namespace

MetricValue open_f_macro(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kOpenFMacro, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  if (auto why = missing_classes(ranking); !why.empty()) return undefined(why);
  ClassCounts counts(ranking, sides.open);
  return best_over_thresholds(
      ranking, options, [&](std::size_t rank) { counts.reject(rank); },
      [&](const KindCounts&) { return f_score(counts.precision(), counts.recall()); });
}

// 2 P R / (P + R) of pooled counts is 2 TP / (2 TP + FP + FN), and FN > 0 where TP = 0.
MetricValue open_f_micro(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kOpenFMicro, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  return best_over_thresholds(
      ranking, options, [](std::size_t) {},
      [&](const KindCounts& below) {
        const OpenSetCounts c = open_set_counts(ranking.totals(), below, sides.open);
        return static_cast<double>(2 * c.tp) / static_cast<double>(2 * c.tp + c.fp + c.fn);
      });
}

constinit const MetricRow kOpenFMacro = {
    .info =
        {
            .name = "open_f_macro",
            .aliases = "macro_f,open_set_f_macro",
            .family = "open-set",
            .title = "Open-set F, macro",
            .brief = "F of mean precision and mean recall over the closed classes, at the best "
                     "threshold",
            .citation =
                "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, 2017",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .needs = kNeedsPredicted,
    .compute = open_f_macro,
};

constinit const MetricRow kOpenFMicro = {
    .info =
        {
            .name = "open_f_micro",
            .aliases = "micro_f,open_set_f_micro",
            .family = "open-set",
            .title = "Open-set F, micro",
            .brief =
                "F of precision and recall pooled over the closed classes, at the best threshold",
            .citation =
                "Mendes Junior et al., Nearest neighbors distance ratio open-set classifier, 2017",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = open_f_micro,
};

}  // namespace openworld

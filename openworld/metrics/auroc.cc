#include "openworld/metrics/auroc.h"

namespace openworld {
namespace {

PairKernel kernel(Side open) {
  return {.open = open, .base_must_be_right = false, .other_must_be_right = false};
}

}  // namespace

MetricValue auroc(const Ranking& ranking, const MetricOptions& options) {
  return pair_mean(ranking, kernel(open_side(kAuroc, ranking.totals(), options)),
                   options.ties.value_or(*kAuroc.ties));
}

constinit const MetricRow kAuroc = {
    .info =
        {
            .name = "auroc",
            .aliases = "auc,roc_auc",
            .family = "ranking",
            .title = "AUROC",
            .brief = "chance that a base sample scores above one of the open side",
            .citation =
                "Hanley and McNeil, The meaning and use of the area under a ROC curve, 1982",
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNewFirst,
    .ties = Ties::kHalf,
    .compute = auroc,
    .kernel = kernel,
};

}  // namespace openworld

#include "openworld/metrics/openworld_auc.h"

namespace openworld {
namespace {

PairKernel kernel(Side) {
  return {.open = Side::kNew, .base_must_be_right = true, .other_must_be_right = true};
}

}  // namespace

MetricValue openworld_auc(const Ranking& ranking, const MetricOptions& options) {
  return pair_mean(ranking, kernel(Side::kNew), options.ties.value_or(*kOpenworldAuc.ties));
}

constinit const MetricRow kOpenworldAuc = {
    .info =
        {
            .name = "openworld_auc",
            .aliases = "owauc",
            .family = "ranking",
            .title = "OpenworldAUC",
            .brief =
                "chance that a base and a new sample are ranked right and both classified right",
            .citation = "Hua et al., OpenworldAUC, ICML 2025",
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNew,
    .ties = Ties::kStrict,
    .compute = openworld_auc,
    .kernel = kernel,
};

}  // namespace openworld

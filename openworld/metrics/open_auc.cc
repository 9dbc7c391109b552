#include "openworld/metrics/open_auc.h"

namespace openworld {

PairKernel open_auc_kernel(Side open) {
  return {.open = open, .base_must_be_right = true, .other_must_be_right = false};
}

MetricValue open_auc(const Ranking& ranking, const MetricOptions& options) {
  return pair_mean(ranking, open_auc_kernel(open_side(kOpenAuc, ranking.totals(), options)),
                   options.ties.value_or(*kOpenAuc.ties));
}

constinit const MetricRow kOpenAuc = {
    .info =
        {
            .name = "open_auc",
            .aliases = "openauc",
            .family = "ranking",
            .title = "OpenAUC",
            .brief = "chance that a base sample is classified right and scores above an open one",
            .citation = "Wang et al., OpenAUC, NeurIPS 2022",
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .ties = Ties::kStrict,
    .compute = open_auc,
    .kernel = open_auc_kernel,
};

}  // namespace openworld

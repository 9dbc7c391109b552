#include "openworld/metrics/oscr.h"

#include "openworld/metrics/open_auc.h"

namespace openworld {

MetricValue oscr(const Ranking& ranking, const MetricOptions& options) {
  MetricOptions trapezoid = options;
  trapezoid.ties = options.ties.value_or(*kOscr.ties);
  return open_auc(ranking, trapezoid);
}

constinit const MetricRow kOscr = {
    .info =
        {
            .name = "oscr",
            .family = "ranking",
            .title = "OSCR",
            .brief = "area under correct classification rate over false positive rate, exact",
            .citation = "Dhamija et al., Reducing Network Agnostophobia, NeurIPS 2018",
            .standard = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .ties = Ties::kHalf,
    .compute = oscr,
    .kernel = open_auc_kernel,
};

}  // namespace openworld

#include "openworld/metrics/tp_ose.h"

#include <limits>

#include "openworld/metrics/open_set_counts.h"

namespace openworld {
namespace {

constexpr double kAcceptAll = -std::numeric_limits<double>::infinity();

KindCounts accepted(const Ranking& ranking, double t) {
  KindCounts above = ranking.totals();
  return above -= rejected_at(ranking, t);
}

}  // namespace

MetricValue tp_count(const Ranking& ranking, const MetricOptions& options) {
  if (ranking.totals().base() == 0) return undefined("no base samples");
  const double t = options.threshold.value_or(kAcceptAll);
  return {
      .value = static_cast<double>(accepted(ranking, t).of[kBaseRight]), .why = {}, .threshold = t};
}

MetricValue ose_count(const Ranking& ranking, const MetricOptions& options) {
  const Side open = open_side(kOseCount, ranking.totals(), options);
  if (ranking.totals().open(open) == 0) {
    return undefined("no " + std::string(side_name(open)) + " samples");
  }
  const double t = options.threshold.value_or(kAcceptAll);
  return {.value = static_cast<double>(accepted(ranking, t).open(open)), .why = {}, .threshold = t};
}

constinit const MetricRow kTpCount = {
    .info =
        {
            .name = "tp_count",
            .aliases = "tp",
            .family = "open-set",
            .title = "TP",
            .brief = "base samples accepted with the right class",
            .citation =
                "Miller et al., Open-Set Recognition in the Age of Vision-Language Models, 2024",
            .is_count = true,
        },
    .positive = Positive::kBase,
    .compute = tp_count,
};

constinit const MetricRow kOseCount = {
    .info =
        {
            .name = "ose_count",
            .aliases = "ose",
            .family = "open-set",
            .title = "OSE",
            .brief = "open samples accepted as a base class",
            .citation =
                "Miller et al., Open-Set Recognition in the Age of Vision-Language Models, 2024",
            .higher_is_better = false,
            .is_count = true,
        },
    .positive = Positive::kBase,
    .open = OpenRule::kUnknownFirst,
    .compute = ose_count,
};

}  // namespace openworld

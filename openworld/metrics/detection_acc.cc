#include "openworld/metrics/detection_acc.h"

#include "openworld/metrics/two_sides.h"

namespace openworld {

MetricValue detection_acc(const Ranking& ranking, const MetricOptions& options) {
  const TwoSides sides = two_sides(kDetectionAcc, ranking, options);
  if (sides.empty()) return undefined(sides.missing());
  double best = -1;
  std::size_t at = Ranking::kBeforeAll;
  ranking.for_each_threshold([&](std::size_t rank, const KindCounts& below) {
    const double value =
        1 - static_cast<double>(below.base()) / static_cast<double>(sides.base) +
        static_cast<double>(below.open(sides.open)) / static_cast<double>(sides.other);
    if (value > best) {
      best = value;
      at = rank;
    }
    return true;
  });
  return {.value = best / 2, .threshold = ranking.threshold(at)};
}

constinit const MetricRow kDetectionAcc = {
    .info =
        {
            .name = "detection_acc",
            .aliases = "dtacc,detection_accuracy",
            .family = "threshold",
            .title = "Detection accuracy",
            .brief = "how often base and open samples are told apart at the best threshold",
            .citation = "Liang et al., Out-of-distribution image detection (ODIN), ICLR 2018",
        },
    .positive = Positive::kBase,
    .open = OpenRule::kNewFirst,
    .compute = detection_acc,
};

}  // namespace openworld

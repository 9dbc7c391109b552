#include "openworld/metrics/hm.h"

#include "openworld/metrics/accuracy.h"

namespace openworld {
namespace {

double harmonic_mean(double b, double n) {
  return b + n > 0 ? 2 * b * n / (b + n) : 0;
}

// None where both accuracies are 0: HM is not differentiable there.
std::optional<Interval> interval(const Ranking& ranking, const MetricOptions&, double level) {
  const KindCounts& totals = ranking.totals();
  if (totals.base() == 0 || totals.new_samples() == 0) return std::nullopt;
  if (totals.of[kBaseRight] + totals.of[kNewRight] == 0) return std::nullopt;
  return square_and_add(
      harmonic_mean, wilson_proportion(totals.of[kBaseRight], totals.base(), level),
      wilson_proportion(totals.of[kNewRight], totals.new_samples(), level), level);
}

}  // namespace

MetricValue hm(const Ranking& ranking, const MetricOptions&) {
  const MetricValue base = base_acc(ranking), new_side = new_acc(ranking);
  if (!base.defined()) return base;
  if (!new_side.defined()) return new_side;
  return {.value = harmonic_mean(base.value, new_side.value)};
}

constinit const MetricRow kHm = {
    .info =
        {
            .name = "hm",
            .aliases = "h,harmonic_mean",
            .family = "accuracy",
            .title = "HM",
            .brief = "harmonic mean of base and new accuracy",
            .citation =
                "Xian et al., Zero-Shot Learning: the Good, the Bad and the Ugly, CVPR 2017",
            .standard = true,
        },
    .open = OpenRule::kNew,
    .compute = hm,
    .interval = interval,
};

}  // namespace openworld

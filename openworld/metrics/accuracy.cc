#include "openworld/metrics/accuracy.h"

#include "openworld/stats/distributions.h"

namespace openworld {
namespace {

int base_verdict(std::uint8_t code) {
  const int kind = code & kKindMask;
  return kind == kBaseRight ? 1 : kind == kBaseWrong ? 0 : -1;
}

int new_verdict(std::uint8_t code) {
  const int kind = code & kKindMask;
  return kind == kNewRight ? 1 : kind == kNewWrong ? 0 : -1;
}

std::optional<Interval> base_interval(const Ranking& ranking, const MetricOptions&, double level) {
  return wilson_accuracy(ranking.totals().of[kBaseRight], ranking.totals().base(), level);
}

std::optional<Interval> new_interval(const Ranking& ranking, const MetricOptions&, double level) {
  return wilson_accuracy(ranking.totals().of[kNewRight], ranking.totals().new_samples(), level);
}

}  // namespace

std::optional<Interval> wilson_accuracy(std::int64_t right, std::int64_t total, double level) {
  if (total == 0) return std::nullopt;
  const Proportion p = wilson_proportion(right, total, level);
  return Interval{.low = p.low, .high = p.high, .level = level, .method = "wilson"};
}

MetricValue base_acc(const Ranking& ranking, const MetricOptions&) {
  const KindCounts& totals = ranking.totals();
  return fraction(static_cast<double>(totals.of[kBaseRight]), totals.base(), "base samples");
}

MetricValue new_acc(const Ranking& ranking, const MetricOptions&) {
  const KindCounts& totals = ranking.totals();
  return fraction(static_cast<double>(totals.of[kNewRight]), totals.new_samples(), "new samples");
}

constinit const MetricRow kBaseAcc = {
    .info =
        {
            .name = "base_acc",
            .aliases = "base_accuracy",
            .family = "accuracy",
            .title = "BaseAcc",
            .brief = "share of base samples whose class is right among the base names",
            .citation =
                "Zhou et al., Conditional Prompt Learning for Vision-Language Models, CVPR 2022",
            .standard = true,
        },
    .compute = base_acc,
    .verdict = base_verdict,
    .interval = base_interval,
};

constinit const MetricRow kNewAcc = {
    .info =
        {
            .name = "new_acc",
            .aliases = "new_accuracy",
            .family = "accuracy",
            .title = "NewAcc",
            .brief = "share of new samples whose class is right among the new names",
            .citation =
                "Zhou et al., Conditional Prompt Learning for Vision-Language Models, CVPR 2022",
            .standard = true,
        },
    .open = OpenRule::kNew,
    .compute = new_acc,
    .verdict = new_verdict,
    .interval = new_interval,
};

}  // namespace openworld

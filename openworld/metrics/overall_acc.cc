#include "openworld/metrics/overall_acc.h"

#include "openworld/metrics/accuracy.h"

namespace openworld {
namespace {

int verdict(std::uint8_t code) {
  if ((code & kKindMask) == kUnknownKind) return -1;
  return (code & kOverallRight) != 0;
}

std::optional<Interval> interval(const Ranking& ranking, const MetricOptions&, double level) {
  if (!overall_acc(ranking).defined()) return std::nullopt;
  const KindCounts& totals = ranking.totals();
  const OverallRight right = overall_right(ranking);
  if (totals.base() == 0) return wilson_accuracy(right.new_side, totals.new_samples(), level);
  if (totals.new_samples() == 0) return wilson_accuracy(right.base, totals.base(), level);
  const auto base = static_cast<double>(totals.base()),
             new_side = static_cast<double>(totals.new_samples());
  const auto pooled = [&](double b, double n) {
    return (base * b + new_side * n) / (base + new_side);
  };
  return square_and_add(pooled, wilson_proportion(right.base, totals.base(), level),
                        wilson_proportion(right.new_side, totals.new_samples(), level), level);
}

}  // namespace

OverallRight overall_right(const Ranking& ranking) {
  const auto codes = ranking.codes();
  const auto weights = ranking.weights();
  KindCounts right;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const std::int64_t weight = weights.empty() ? 1 : weights[i];
    right.of[codes[i] & kKindMask] += codes[i] & kOverallRight ? weight : 0;
  }
  return {.base = right.base(), .new_side = right.new_samples()};
}

MetricValue overall_acc(const Ranking& ranking, const MetricOptions&) {
  if (!ranking.ranked().has_overall()) {
    return undefined("needs overall_correct: give base_logits and new_logits, or the flags");
  }
  const KindCounts& totals = ranking.totals();
  const OverallRight right = overall_right(ranking);
  return fraction(static_cast<double>(right.base + right.new_side),
                  totals.base() + totals.new_samples(), "base or new samples");
}

constinit const MetricRow kOverallAcc = {
    .info =
        {
            .name = "overall_acc",
            .aliases = "overall_accuracy",
            .family = "accuracy",
            .title = "OverallAcc",
            .brief = "share of base and new samples whose class is right among all names",
            .citation = "Zhou et al., DeCoOp, ICML 2024",
            .standard = true,
        },
    .open = OpenRule::kNew,
    .needs = kNeedsOverall,
    .compute = overall_acc,
    .verdict = verdict,
    .interval = interval,
};

}  // namespace openworld

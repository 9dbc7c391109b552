#include "openworld/analysis/diagnosis.h"

#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/openworld_auc.h"

namespace openworld {
namespace {

constexpr unsigned bit(Stage stage) {
  return 1u << stage;
}
constexpr unsigned kAll = bit(kStageBase) | bit(kStageNew) | bit(kStageRank);

// Pairs on which every stage of `stages` succeeds, in half pairs.
std::int64_t successes(const Ranking& ranking, unsigned stages, Ties ties) {
  const PairKernel kernel{.open = Side::kNew,
                          .base_must_be_right = (stages & bit(kStageBase)) != 0,
                          .other_must_be_right = (stages & bit(kStageNew)) != 0};
  if (stages & bit(kStageRank)) return half_pairs(ranking.pairs(), kernel, ties);
  const KindCounts& totals = ranking.totals();
  const std::int64_t base = kernel.base_must_be_right ? totals.of[kBaseRight] : totals.base();
  const std::int64_t new_side =
      kernel.other_must_be_right ? totals.of[kNewRight] : totals.new_samples();
  return 2 * base * new_side;
}

}  // namespace

Diagnosis diagnose(const Ranking& ranking, const MetricOptions& options) {
  Diagnosis d;
  d.openworld_auc = openworld_auc(ranking, options);
  d.base_acc = base_acc(ranking);
  d.new_acc = new_acc(ranking);
  if (!d.defined()) {
    d.ranked_given_right = d.openworld_auc;
    return d;
  }
  const Ties ties = options.ties.value_or(*kOpenworldAuc.ties);
  std::array<std::int64_t, kAll + 1> v;
  for (unsigned s = 0; s <= kAll; ++s) v[s] = successes(ranking, s, ties);

  const unsigned classes = bit(kStageBase) | bit(kStageNew);
  d.ranked_given_right =
      fraction(static_cast<double>(v[kAll]), v[classes], "pair with both classes right");
  const auto pairs = static_cast<double>(v[0]);
  for (const Stage stage : {kStageBase, kStageNew, kStageRank}) {
    const unsigned self = bit(stage);
    const unsigned others = kAll & ~self;
    d.if_perfect[stage] = static_cast<double>(v[others]) / pairs;
    // Of the six orders two have the stage first, two last, and one has each other stage before it.
    std::int64_t drop = 2 * (v[0] - v[self]) + 2 * (v[others] - v[kAll]);
    for (const Stage other : {kStageBase, kStageNew, kStageRank}) {
      if (other != stage) drop += v[bit(other)] - v[bit(other) | self];
    }
    d.cost[stage] = static_cast<double>(drop) / (6 * pairs);
  }
  return d;
}

}  // namespace openworld

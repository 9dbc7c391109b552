#pragma once

// Where a model loses its OpenworldAUC: in g, in h, or in the ranking.
//
// A pair of a base and a new sample counts when three stages succeed: g is right, h is right, the
// pair is ranked right. Write v(S) for the share of pairs on which all stages in S succeed, v({}) =
// 1. All eight are pair counts: v(g) = BaseAcc, v(h) = NewAcc, v(g h) = BaseAcc NewAcc, v(r) =
// AUROC, v(g r) = OpenAUC with the new samples as open side, v(g h r) = OpenworldAUC. Then
//
//   OpenworldAUC = BaseAcc x NewAcc x P(ranked right | both right)
//
// and the loss 1 - OpenworldAUC is split between the stages by their Shapley values: the drop in v
// that a stage makes when it joins the others, averaged over the six orders in which they can join.
// A pair that fails one stage is charged to it alone, a pair that fails k stages to each with 1/k,
// so the three costs add up to the loss and a stage that never fails costs nothing. Mending one
// stage alone brings less than its cost, since pairs that fail elsewhere too stay lost;
// `if_perfect` says where it would lead.
//
// Computed from integers: one walk over the order, exact but for the last division.
//
// Shapley, "A value for n-person games", 1953.

#include <array>
#include <string>

#include "openworld/metrics/metric.h"

namespace openworld {

enum Stage { kStageBase, kStageNew, kStageRank, kStages };  // g, h, r

struct Diagnosis {
  MetricValue openworld_auc;
  // The factors of OpenworldAUC. The last is undefined where no pair has both classes right.
  MetricValue base_acc, new_acc, ranked_given_right;
  std::array<double, kStages> cost{};        // add up to 1 - OpenworldAUC
  std::array<double, kStages> if_perfect{};  // OpenworldAUC if that stage never failed

  // False when a side is empty; openworld_auc.why then says which, and the arrays are zero.
  bool defined() const { return openworld_auc.defined(); }
};

// options.ties as in OpenworldAUC: strict unless asked.
Diagnosis diagnose(const Ranking& ranking, const MetricOptions& options = {});

}  // namespace openworld

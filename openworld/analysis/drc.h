#pragma once

// What a dynamic robustness curve (DRC) says: accuracy Acc(t) while the world drifts from what the
// prompts were tuned on (t = 0) to what they were not (t = 1). Table 1 of "OpenPL: Realistic
// Evaluation of Prompt Learning for VLM in Open Environments", from accuracies at levels
// t_0 < ... < t_m, linear between them.
//
//   Acc(0)  a_0, the accuracy before any drift
//   AUC     mean of Acc(t)                              trapezoids
//   WA      min of Acc(t)                               at a level, since linear between
//   EVM     mean of |Acc'(t)|                           expected variation magnitude
//   VS      mean of (Acc'(t) - mean of Acc'(t))^2       variation stability
//   PA      mean of max(Acc(t) - Acc_zs(t), 0)          against the zero-shot curve
//   NA      mean of max(Acc_zs(t) - Acc(t), 0)          PA - NA = AUC - AUC_zs, always
//   RCC     correlation of Acc(t) with t (Pearson)      which way the accuracy goes
//   EA      mean of Acc(t) under a density of t         AUC where that is uniform
//
// RCC and EA are of Jia et al., "Realistic Evaluation of Semi-supervised Learning Algorithms in
// Open Environments", ICLR 2024. Its printed RCC has 1 for the mean of t and the root of a negative
// number; this is the Pearson correlation that its text names.
//
// "Mean" is over t uniform on the covered range [t_0, t_m]: integral / (t_m - t_0). On [0, 1] this
// is the paper's integral; on a part of it AUC stays an accuracy and curves stay comparable. Uneven
// levels weigh by width, so six levels 0.2 apart give (1/5) sum |m_i| and (1/5) sum (m_i - mean)^2
// of the slopes m_i. Crossings with the zero-shot curve are exact points, not levels.
//
// The paper averages accuracies over seeds first and computes the metrics on the averages; EVM, VS,
// PA and NA are not linear, so the order matters. O(m) time, no memory.

#include <optional>
#include <span>
#include <vector>

namespace openworld {

struct DrcMetrics {
  std::optional<double> acc0;  // none when the first level is not 0
  double auc = 0;
  double wa = 0;
  double evm = 0;
  double vs = 0;
  std::optional<double> rcc{};  // none when the accuracy is the same at every level
};

// A density of t: linear between its points, 0 outside them. Its integral need not be 1.
struct LevelDensity {
  std::vector<double> levels{};   // at least two, in [0, 1], strictly increasing
  std::vector<double> weights{};  // one per level, 0 or more
};

struct DrcAreas {
  double positive = 0;  // PA
  double negative = 0;  // NA
};

// Levels: at least two, in [0, 1], strictly increasing. Accuracies: one per level, fractions in
// [0, 1]. Else Error.
DrcMetrics drc_metrics(std::span<const double> levels, std::span<const double> accuracies);

// EA of a curve. Throws Error also where the density is 0 on all of [t_0, t_m].
double expected_accuracy(std::span<const double> levels, std::span<const double> accuracies,
                         const LevelDensity& density);

// PA and NA of a curve against the zero-shot curve on the same levels.
DrcAreas drc_areas(std::span<const double> levels, std::span<const double> accuracies,
                   std::span<const double> zero_shot);

// delta_AUC: mean over worlds of AUC - AUC_zs. One value per world in both, at least one.
double delta_auc(std::span<const double> auc, std::span<const double> zero_shot_auc);

// delta_PN: mean over worlds of PA - NA. Equal to delta_AUC by the identity above; the two differ
// in the paper's tables where a curve crosses zero-shot and negative area was lost.
double delta_pn(std::span<const DrcAreas> areas);

}  // namespace openworld

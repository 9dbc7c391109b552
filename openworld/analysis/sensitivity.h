#pragma once

// How metrics move with the ratio of new to base samples.
//
// OverallAcc has a closed form. With TPR_b and TPR_n the shares of base and of new samples that are
// right among all names, at the ratio rho = N_n / N_b
//
//   OverallAcc(rho) = (TPR_b + rho TPR_n) / (1 + rho)
//
// so it runs from TPR_b to TPR_n as the new samples grow, for any model.
//
// The papers show the same by thinning: a ratio above that of the test set keeps the new samples
// and thins the base ones, a ratio below it does the reverse, without replacement. A thinned set is
// the same order with weights 0 and 1, so nothing is sorted again. Metrics of a single side and
// pair metrics then move by the noise of thinning only.
//
// Hua et al., "OpenworldAUC", ICML 2025, Figure 2 and Tables 11 and 12. Their last row is the
// sample variance (n - 1): that alone gives the printed 89.13 and 43.75 for OverallAcc. Their
// ratios are multiples of the natural one: the row of ratio 1 has the BaseAcc and NewAcc of all
// samples, and the closed form fits the OverallAcc of Flowers102 (1410 new, 1053 base) with a
// quarter of the squared error that counts would give. `relative` reads ratios that way: above 1
// every base class is thinned to 1 / ratio, below 1 every new class to the ratio, and of a class
// of n samples int(max(share * n, 1)) are kept, as their code does. Where labels are not known, a
// side is thinned as one class.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "openworld/metrics/accuracy.h"
#include "openworld/metrics/auroc.h"
#include "openworld/metrics/hm.h"
#include "openworld/metrics/metric.h"
#include "openworld/metrics/openworld_auc.h"
#include "openworld/metrics/overall_acc.h"

namespace openworld {

// OverallAcc at rho new samples per base sample. From the overall flags; where there are none, from
// the two stages at options.threshold: TPR_b = P(r > t, right), TPR_n = P(r <= t, right).
// Throws Error unless rho is finite and >= 0.
MetricValue overall_at_ratio(const Ranking& ranking, double rho, const MetricOptions& options = {});

// The columns of the tables.
inline constexpr std::array<const MetricRow*, 6> kSensitivityMetrics = {
    &kBaseAcc, &kNewAcc, &kHm, &kAuroc, &kOverallAcc, &kOpenworldAuc};

inline constexpr std::array<double, 10> kPaperRatios = {10, 5, 3, 2, 1, 0.7, 0.5, 0.3, 0.2, 0.1};

struct SensitivityOptions {
  std::span<const double> ratios = kPaperRatios;  // new samples per base sample
  bool relative = false;  // ratios are multiples of the natural N_n / N_b, class by class
  int repeats = 1;        // thinned sets per ratio, averaged
  std::uint64_t seed = 0;
  MetricOptions metric{};  // ties; threshold for OverallAcc without flags
};

using SensitivityValues = std::array<MetricValue, kSensitivityMetrics.size()>;

struct SensitivityRow {
  double ratio;                 // as asked
  std::int64_t base, new_side;  // samples kept
  SensitivityValues values;     // in the order of kSensitivityMetrics
};

struct Sensitivity {
  std::vector<SensitivityRow> rows;
  SensitivityValues mean;      // over the ratios
  SensitivityValues variance;  // sample variance of the fractions; times 10^4 in points squared
};

// Classes are known if `ranked` keeps the order and its outcomes have labels.
// Deterministic in the seed, and each ratio in its place in the list. Throws Error when a side is
// empty, there is no ratio or one that is not positive and finite, or repeats < 1. At least one
// sample of a side stays.
Sensitivity ratio_sensitivity(const RankedScores& ranked, const SensitivityOptions& options = {});

}  // namespace openworld

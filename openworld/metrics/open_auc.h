#pragma once

// OpenAUC: open-set recognition in one number, at every threshold at once.
//
//   OpenAUC = 1/(N_k N_u) sum_ij  1[h(x_i) = y_i] 1[r_i > r_j]
//
// over known (base) samples i and open samples j: the open side is the unknown samples where there
// are any, else the new ones, whose own class does not matter here. It is the area under the
// COTPR-OFPR curve. (The paper writes it for a score that grows with openness; here r is larger for
// base samples, so the inequality is turned round.)
//
// Wang et al., "OpenAUC: Towards AUC-Oriented Open-Set Recognition", NeurIPS 2022, Proposition 4.

#include "openworld/metrics/metric.h"

namespace openworld {

// Right base samples against every sample of the open side.
PairKernel open_auc_kernel(Side open);

MetricValue open_auc(const Ranking& ranking, const MetricOptions& options = {});

extern const MetricRow kOpenAuc;

}  // namespace openworld

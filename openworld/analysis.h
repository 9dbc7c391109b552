#pragma once

// Comparison, thresholds with a guarantee, curves, diagnosis, sensitivity, ranks.
//
// Link openworld::analysis.

#include "openworld/analysis/compare.h"
#include "openworld/analysis/compare_runs.h"
#include "openworld/analysis/curve.h"
#include "openworld/analysis/diagnosis.h"
#include "openworld/analysis/drc.h"
#include "openworld/analysis/friedman.h"
#include "openworld/analysis/mean_curve.h"
#include "openworld/analysis/sensitivity.h"
#include "openworld/analysis/threshold.h"
#include "openworld/analysis/unknown_threshold.h"
#include "openworld/base/error.h"

#pragma once

// Metrics with intervals from outcomes in memory: evaluate(), the table of metrics, and what a
// metric of one's own is made of.
//
// Link openworld::metrics.

#include "openworld/base/error.h"
#include "openworld/metrics/accumulator.h"
#include "openworld/metrics/evaluate.h"
#include "openworld/metrics/metric.h"
#include "openworld/metrics/outcomes.h"
#include "openworld/metrics/per_class.h"
#include "openworld/metrics/table.h"
#include "openworld/metrics/two_sides.h"

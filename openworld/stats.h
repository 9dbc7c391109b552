#pragma once

// Intervals of proportions and means, and the distributions behind them.
//
// Link openworld::stats.

#include "openworld/stats/distributions.h"
#include "openworld/stats/proportions.h"
#include "openworld/stats/seeds.h"
#include "openworld/stats/studentized_range.h"

#pragma once

// How the half-width of an interval falls with the number of test samples, as a plot.

#include "openworld/analysis/sample_size.h"
#include "openworld/report/svg_plot.h"

namespace openworld {

// Half-width in percentage points over base and open samples together, which grow in the proportion
// of the plan (or only on the side that the request leaves free). A line per number of seeds, the
// range of the plan's as thin lines, the half-width asked for, and marks at the pilot and the plan.
Plot sample_size_plot(const VarianceComponents& pilot, const SampleSizeRequest& request,
                      const SampleSize& result);

}  // namespace openworld

#pragma once

// Runs as one page of HTML without scripts: values, differences, curves, costs and samples.

#include <cstddef>
#include <string>

#include "openworld/runs/measured_runs.h"

namespace openworld {

struct RunReportOptions {
  std::string title = "Open-world report";
  std::size_t samples = 8;  // shown of each dataset; 0: none
};

struct RunReport {
  std::string html;
  std::size_t pictures = 0;
};

// Throws Error.
RunReport run_report(const RunCollection& runs, const MeasuredRuns& measured,
                     const RunReportOptions& options);

}  // namespace openworld

#pragma once

// Runs and prediction files as one page of HTML without scripts: values, differences, curves, costs
// and samples of runs, then open-set tests, then other prediction files.

#include <cstddef>
#include <span>
#include <string>

#include "openworld/report/file_sections.h"
#include "openworld/report/named_data.h"
#include "openworld/runs/measured_runs.h"

namespace openworld {

struct ReportPageOptions {
  std::string title = "Open-world report";
  std::size_t samples = 8;  // shown of each dataset of the runs; 0: none
  NamedData data{};
};

struct ReportInput {
  // Both or none.
  const RunCollection* runs = nullptr;
  const MeasuredRuns* measured = nullptr;
  std::span<const ReportFile> files{};
  FileMetrics file_metrics{};
};

struct ReportPage {
  std::string html;
  std::size_t pictures = 0;
  std::vector<MissingPictures> missing{};
};

// Throws Error. REQUIRES: runs or files.
ReportPage report_page(const ReportInput& input, const ReportPageOptions& options);

// "3 methods on 2 datasets, 18 runs; seeds 1 to 3; 1 open-set test".
std::string describe_report(const ReportInput& input);

}  // namespace openworld

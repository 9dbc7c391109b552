#pragma once

// Runs, prediction files and studies as one page of HTML: what was found, values and differences,
// thresholds, samples and classes, curves and costs of runs, then open-set tests, other prediction
// files and studies.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "openworld/report/file_sections.h"
#include "openworld/report/named_data.h"
#include "openworld/runs/measured_runs.h"

namespace openworld {

struct StudyPageInput;  // study_page.h

struct ReportPageOptions {
  std::string title = "Open-world report";
  std::size_t samples = 24;  // shown of each test set; 0: none
  NamedData data{};
};

struct ReportInput {
  // Both or none.
  const RunCollection* runs = nullptr;
  const MeasuredRuns* measured = nullptr;
  std::span<const ReportFile> files{};
  std::vector<const StudyPageInput*> studies{};
  FileMetrics file_metrics{};
};

struct ReportPage {
  std::string html;
  std::size_t pictures = 0;
  std::vector<MissingPictures> missing{};
};

// Throws Error. REQUIRES: runs, files or studies.
ReportPage report_page(const ReportInput& input, const ReportPageOptions& options);

// "3 methods on 2 datasets, 18 runs; seeds 1 to 3; 1 open-set test".
std::string describe_report(const ReportInput& input);

}  // namespace openworld

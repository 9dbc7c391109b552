#pragma once

// Paired differences of prediction files from the first of them.

#include <optional>
#include <span>
#include <vector>

#include "openworld/analysis/compare.h"
#include "openworld/report/html_page.h"
#include "openworld/report/report_files.h"

namespace openworld {

struct FileDifferences {
  std::vector<MetricRequest> requests;                // those that have a closed form
  std::vector<std::vector<ComparedMetric>> metrics;   // [file - 1][metric]
  std::vector<std::vector<std::optional<double>>> p;  // Holm's over files
};

// Whether all have the sides and labels of the first. REQUIRES: a file.
bool are_same_samples(std::span<const ReportFile* const> files);

// None where files are of different samples, or no metric has a closed form: a bootstrap of a
// hundred files would take minutes. REQUIRES: a file.
std::optional<FileDifferences> compare_files(std::span<const ReportFile* const> files,
                                             std::span<const MetricRequest> requests,
                                             const EvalOptions& options);

// A forest plot for each metric, and the numbers.
void add_file_differences(HtmlPage& page, std::span<const ReportFile* const> files,
                          const FileDifferences& found, const EvalOptions& options);

}  // namespace openworld

#pragma once

// The sections of the page that `openworld report` writes about prediction files.

#include <span>
#include <vector>

#include "openworld/metrics/evaluate.h"
#include "openworld/report/html_page.h"
#include "openworld/report/report_files.h"

namespace openworld {

struct FileMetrics {
  std::vector<MetricRequest> requests;  // of files that are not of an open-set test
  EvalOptions options;
};

// Open-set tests: a comparison where there are several, then each with its tables and figures.
// REQUIRES: each is of one, and there is one or more.
void add_open_set_files(HtmlPage& page, std::span<const ReportFile* const> files,
                        const EvalOptions& options);

// Any predictions: metrics with intervals, and HitRate over MissRate.
// REQUIRES: there is one or more.
void add_prediction_files(HtmlPage& page, std::span<const ReportFile* const> files,
                          const FileMetrics& metrics);

}  // namespace openworld

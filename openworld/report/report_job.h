#pragma once

// A report from paths to a page: what `openworld report` and openworld.report() do.

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "openworld/metrics/table.h"
#include "openworld/report/report_page.h"
#include "openworld/runs/run_result.h"

namespace openworld {

struct ReportRequest {
  // Run folders, folders of seed-N folders, prediction files, studies.
  std::vector<std::string> paths;
  std::string out;      // the page
  std::string against;  // label of the reference; empty: the first of the collection
  ReportPageOptions page{};
  std::vector<MetricRequest> file_metrics = find_metrics("standard");
  std::vector<MetricRequest> run_metrics = {};  // empty: those of the runs, RunCollection::metrics
  EvalOptions options{};
};

struct ReportResult {
  struct File {
    std::string path, label, kind;
  };

  std::string out;
  std::size_t bytes = 0, pictures = 0;
  std::vector<MissingPictures> missing{};  // datasets without pictures
  std::size_t runs = 0;
  std::vector<std::string> labels, datasets;
  std::vector<File> files;
  std::vector<std::string> studies;  // folders
  std::string summary;               // "3 methods on 2 datasets, 18 runs"
};

// Measures, and writes the page. Throws Error as [report].
ReportResult write_report(const ReportRequest& request);

// Schema "openworld.report/2", without the cost.
nlohmann::ordered_json report_json(const ReportResult& result);

}  // namespace openworld

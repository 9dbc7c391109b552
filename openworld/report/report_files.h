#pragma once

// Prediction files that a report shows: of open-set tests, and any others.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/openset/open_set_predictions.h"
#include "openworld/predictions/predictions.h"

namespace openworld {

struct ReportFile {
  std::string path;
  std::string label;  // on the page
  Predictions predictions;
  std::optional<OpenSetOrigin> open_set{};  // none: not of an open-set test

  // "open-set" or "predictions".
  std::string_view kind() const { return open_set ? "open-set" : "predictions"; }
};

// Reads files in every form that predictions have. Throws Error. REQUIRES: a label for each path.
std::vector<ReportFile> open_report_files(const std::vector<std::string>& paths,
                                          const std::vector<std::string>& labels);

// "2 open-set tests, 1 prediction file".
std::string describe_files(std::span<const ReportFile> files);

}  // namespace openworld

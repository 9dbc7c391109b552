#pragma once

// The two-way bootstrap of a study's predictions (analysis/compare_runs.h).

#include <optional>
#include <string>
#include <vector>

#include "openworld/studies/study_measure.h"

namespace openworld {

// What is measured.
struct BootstrapRequest {
  const std::string& folder;  // of the study
  const std::string& level;
  const std::vector<std::string>& metrics;
  std::optional<std::size_t> reference;  // a method
};

// Adds intervals and unadjusted p-values to the means of `measured`, and names the kind of
// interval. Where that is not possible, says why in its note: a cell is not done or has no
// predictions, methods have different cells, or seeds different test samples. Throws Error for
// predictions that cannot be read.
void add_bootstrap(MeasuredLevel& measured, const StudyGrid& grid, const BootstrapRequest& request,
                   const BootstrapOptions& options);

// The path of a cell's predictions of a view; "" if its result names none. `folder` is that of the
// study.
std::string view_predictions(const std::string& folder, const GridCell& cell,
                             const std::string& world, const std::string& level);

}  // namespace openworld

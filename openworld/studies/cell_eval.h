#pragma once

// The values of finished cells, measured again from their predictions, without models: after a
// metric was corrected, or to have others.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/studies/study_store.h"
#include "openworld/studies/worker.h"

namespace openworld {

// The values of a cell whose result names the files of this folder. Its .npz files are, in order,
// the predictions of its views, and its values name the views in the same order; a run without a
// scenario has one. `metrics` as of find_metrics; empty: those that it has. Throws Error as
// [function].
std::vector<CellValue> evaluate_cell(const std::string& folder, const CellResult& result,
                                     const std::string& metrics, std::string_view function);

struct EvalSummary {
  std::size_t evaluated = 0;  // of those, `changed` had other values before
  std::size_t changed = 0;
  std::size_t failed = 0;
};

// Evaluates the finished cells that `options` choose, and writes results that change. Cells that
// cannot be evaluated keep their result and are passed to `failed`. Throws Error for metrics that
// are not known.
EvalSummary evaluate_study(
    StudyStore& store, const WorkOptions& options, const std::string& metrics,
    const std::function<void(const StudyCell&, const std::string& error)>& failed);

}  // namespace openworld

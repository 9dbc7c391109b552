#pragma once

// CellRunner: who computes cells. Studies know nothing of models; what runs them implements this.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/studies/cell_result.h"
#include "openworld/studies/expand.h"

namespace openworld {

// Where and how to compute a cell.
struct CellContext {
  std::string folder;  // of the cell, which exists; files of an earlier attempt may be there
  int threads = 0;     // 0: every core
  std::function<bool()> stop;  // whether to stop at the next safe place
};

// What was computed, all of it in files of the folder.
struct CellOutput {
  std::vector<std::string> files;  // names in the folder, predictions first; each is flushed
  std::vector<CellValue> values;
};

class CellRunner {
 public:
  virtual ~CellRunner() = default;

  // Throws Error for a learner, an option of it or a value that the scenario does not have.
  virtual void check_learner(const CellLearner& learner, const CellScenario& scenario) = 0;

  // Throws Error if parts of a cell contradict each other.
  virtual void check(std::span<const StudyCell> cells) = 0;

  // Computes a cell, resuming what an earlier attempt left in the folder. The same cell gives the
  // same bits, whatever the threads and however often it was stopped. None if it was asked to stop
  // before the end. Throws Error, or another exception, if the cell fails.
  virtual std::optional<CellOutput> run(const StudyCell& cell, const CellContext& context) = 0;
};

}  // namespace openworld

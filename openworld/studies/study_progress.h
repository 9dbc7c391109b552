#pragma once

// StudyProgress: how far a study is, from the states of its cells.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "openworld/studies/study_store.h"

namespace openworld {

// Cells that failed with the same line.
struct FailureGroup {
  std::string error;
  std::vector<std::string> cells;  // names, in the order of the plan
  std::int64_t attempts = 0;       // most of any of them
};

struct StudyProgress {
  std::size_t cells = 0;
  std::size_t done = 0, failed = 0, running = 0, stale = 0, waiting = 0;  // damaged ones wait
  std::size_t damaged = 0;
  std::optional<double> seconds_per_cell;  // mean of those that are done
  std::optional<double> cells_per_hour;    // by when the last hundred ended, while some run
  // What is not done and did not fail, at the mean of finished cells with the same learner and data
  // (else the same learner, else all); divided by how many run for the time left.
  std::optional<double> seconds_of_work_left;
  std::optional<double> seconds_left;
  std::vector<FailureGroup> failures;

  bool complete() const { return done == cells; }
};

StudyProgress study_progress(std::span<const StudyCell> cells, std::span<const CellStatus> states);

// The same before a study exists: every cell waits.
StudyProgress study_progress(std::span<const StudyCell> cells);

// Of `status`, `work` and `run`: 0 all done, 1 some failed, 3 incomplete.
int progress_exit_code(const StudyProgress& progress);

}  // namespace openworld

#pragma once

// A worker: takes cells of a study that nobody computes, one after the other, until none is left.
// Any number of workers may work on one study, on any machines that share its folder.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openworld/studies/cell_runner.h"
#include "openworld/studies/study_store.h"

namespace openworld {

struct WorkOptions {
  int threads = 0;               // of the runner; 0: every core
  std::size_t limit = 0;         // most cells to compute; 0: any number
  std::size_t max_failures = 0;  // stop after so many; 0: keep going
  bool retry_failed = false;     // failed cells too, once
  // Of retry_failed: those that failed at this time of the folder's clock or before; none: before
  // the worker began. Workers that share it repeat each cell once between them, also those that
  // begin later or replace one that crashed.
  std::optional<double> failed_before = {};
  bool verify = false;                        // compare hashes of finished cells, not sizes alone
  std::string only = "";                      // cells whose name or text contains this
  std::size_t first_cell = 0, last_cell = 0;  // from 1, in the order of the plan; 0: no bound
  std::optional<std::set<std::string>> names = {};  // cells with these names alone
};

// Whether a worker with these options looks at the cell with this number, from 0.
bool is_chosen(const WorkOptions& options, const StudyCell& cell, std::size_t number);

// What a worker tells whoever watches; any member may be empty.
struct WorkObserver {
  std::function<void(const StudyCell&)> begun = {};
  std::function<void(const StudyCell&, double seconds)> finished = {};
  std::function<void(const StudyCell&, const std::string& error)> failed = {};
  std::function<void(const std::string& line)> note = {};
  // Whether to stop, asked between cells and by the runner within them.
  std::function<bool()> stop = {};
};

struct WorkSummary {
  std::size_t computed = 0;
  std::size_t failed = 0;
  bool stopped = false;  // asked to, within a cell or between two
};

// Ends when nothing is left that nobody computes. A task of Slurm that was requeued also waits for
// cells that an earlier start of itself, killed on another node, left claimed until the leases
// expire. Throws Error if the study's folder cannot be written to. What goes wrong in a cell is
// recorded.
WorkSummary work(StudyStore& store, CellRunner& runner, const WorkOptions& options,
                 const WorkObserver& observer);

}  // namespace openworld

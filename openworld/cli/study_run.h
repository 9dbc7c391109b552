#pragma once

// What `openworld study run` does: begins or extends a study, and supervises workers of this
// machine.

#include <string>

#include "openworld/cli/study_backend.h"
#include "openworld/studies/plan_text.h"
#include "openworld/studies/study_store.h"
#include "openworld/studies/worker.h"

namespace openworld {

// A plan with its cells, and where its relative paths begin.
struct ResolvedPlan {
  StudyFile study;
  std::string text;  // with the changes
};

// Reads a plan, by its path or bundled name, with the changes, and makes the plan's folder the
// current one. Throws Error.
ResolvedPlan resolve_plan(const std::string& plan, const PlanChanges& changes,
                          const StudyBackend& backend);

// An absolute path, before the current folder changes.
std::string absolute_path(const std::string& path);

// Makes the folder where the study's relative paths begin the current one; says so on standard
// error if it is not there, which only matters to a plan with such paths.
void enter_plan_folder(const StudyStore& store);

// Leaves to the options only the cells that a file lists by name, from its line `first_cell` to
// `last_cell`. Throws Error.
void choose_listed_cells(const std::string& file, WorkOptions& options);

struct RunFlags {
  std::string out;  // the study; absolute
  int jobs = 1;
  bool force = false;
  bool json = false;  // print no lines
};

// Works on the study with `jobs` processes. Returns the signal that stopped it, or 0.
int run_workers(StudyStore& store, const RunFlags& flags, const WorkOptions& options);

// One worker in this process, a line for each cell. Returns the signal that stopped it, or 0.
int run_worker(StudyStore& store, CellRunner& runner, const WorkOptions& options, bool json,
               WorkSummary& summary);

// "143", what a shell says of SIGTERM, also for SIGUSR1; 130 for Ctrl-C.
int stopped_exit_code(int signal);

}  // namespace openworld

#pragma once

// StudyStore: a study in a folder that several processes and machines share.
//
//   plan.toml           as it was given, for people
//   study.json          the cells (study_file.h)
//   cells/NAME/         a folder for each cell that was begun: predictions and what else its runner
//                       writes, and then
//   cells/NAME/cell.json     its result, written last (cell_result.h)
//   cells/NAME/failed.json   of a cell whose last attempt failed
//   leases/NAME         who computes a cell now (lease.h)
//
// The state of a cell follows from these files alone. Nothing is kept elsewhere, so any of them may
// be deleted: a cell without a result is computed again.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/io/lease.h"
#include "openworld/studies/cell_result.h"
#include "openworld/studies/study_file.h"

namespace openworld {

enum class CellState {
  kDone,     // it has a result, and the files that the result names are there with their sizes
  kRunning,  // somebody has its lease
  kStale,    // its lease is not renewed any more
  kFailed,   // the last attempt failed
  kDamaged,  // there is a result, but it or a file of it was cut or changed; computed again
  kWaiting
};

const char* cell_state_name(CellState state);

// Whether a cell in this state is to be computed and nobody does.
bool is_open(CellState state, bool retry_failed);

struct CellStatus {
  CellState state = CellState::kWaiting;
  std::optional<CellResult> result = {};    // of kDone
  double finished_at = 0;                   // of kDone, in seconds since 1970 by the folder's clock
  std::optional<CellFailure> failure = {};  // of the last attempt, also while it is repeated
  double failed_at = 0;                     // when it failed, if it did, as finished_at
  std::optional<LeaseOwner> owner = {};     // of kRunning and kStale
};

// What is written when a study begins.
struct StudyInit {
  StudyFile study;
  std::string plan_text;
  bool force = false;  // accept a plan that lacks cells of an earlier one
};

// Whether there is a study in the folder.
bool is_study(const std::string& folder);

class StudyStore {
 public:
  // Makes the folder, or extends a study that is there by the cells that are new. Throws Error,
  // naming the difference, if cells of it are not in the plan any more, unless forced: they are
  // then left out, but their folders stay.
  static PlanChange begin(const std::string& folder, const StudyInit& init,
                          std::string_view function);

  // Throws what begin() would throw, and writes nothing.
  static PlanChange check(const std::string& folder, const StudyInit& init,
                          std::string_view function);

  // Opens a study. Throws Error.
  StudyStore(std::string folder, std::string_view function);

  const std::string& folder() const { return folder_; }
  const StudyFile& study() const { return study_; }
  const std::vector<StudyCell>& cells() const { return study_.cells; }

  std::string cell_folder(const StudyCell& cell) const;

  // Checked, with `verify`, by the hashes of the files rather than their sizes alone.
  CellStatus status(const StudyCell& cell, bool verify = false);
  // Without looking for a lease: done, failed, damaged or waiting.
  CellStatus status_without_lease(const StudyCell& cell, bool verify = false) const;
  // status() of every cell; reads the folder of leases once.
  std::vector<CellStatus> statuses(bool verify = false);

  // Makes the folder of a cell ready for an attempt: without what killed writers left half-written,
  // and empty if its files are damaged. REQUIRES: the lease. Throws Error.
  void prepare(const StudyCell& cell, bool damaged) const;

  std::optional<Lease> claim(const StudyCell& cell);

  // Hashes the files and writes the result. REQUIRES: the lease. Throws Error.
  void finish(const StudyCell& cell, const std::vector<std::string>& files,
              std::vector<CellValue> values, double seconds) const;

  // Writes a finished cell's result with other values. Throws Error.
  void write_values(const StudyCell& cell, CellResult result, std::vector<CellValue> values) const;

  // Records a failed attempt with the first line of its error. REQUIRES: the lease. Throws Error.
  void fail_cell(const StudyCell& cell, std::string_view error) const;

  // Records a failed attempt of the cell that a process of this machine held when it ended; its
  // name, or none if it held none or another worker took it already. Throws Error.
  std::optional<std::string> fail_cell_of(std::int64_t pid, std::string_view error);

  // The time of the folder's clock, in seconds since 1970. What is written after the call is later.
  double moment() const;

  // Removes what killed processes left beside the leases.
  void remove_leftovers();

 private:
  std::string lease_path(const StudyCell& cell) const;
  // Also of a cell that is done or running; none if there is no record.
  std::optional<CellFailure> failure(const StudyCell& cell) const;
  std::set<std::string> lease_names() const;
  void remove_leases_of_done_cells();

  std::string folder_;
  std::string function_;
  StudyFile study_;
  FolderClock clock_;
};

}  // namespace openworld

#pragma once

// Which cells of a study wait in the queue of Slurm, so that they are not submitted twice.
//
// STUDY/slurm/JOB.json says of a submitted job array which list its cells are in and how many of
// them a task computes; the queue itself says which tasks are left.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace openworld {

struct SlurmJob {
  std::string job;        // its number
  std::string list_file;  // in the folder of the scripts
  std::size_t cells_per_task = 1;
};

// Throws Error as [study].
void write_slurm_job(const std::string& folder, const SlurmJob& job);

// What was submitted, in any order. Records that are damaged are left out: their cells may then be
// submitted twice, and are computed once.
std::vector<SlurmJob> read_slurm_jobs(const std::string& folder);

// The names of the cells of tasks that `squeue -h -r -o %F_%K` lists, a line "17_3" each.
std::set<std::string> queued_cells(const std::string& folder, const std::vector<SlurmJob>& jobs,
                                   std::string_view squeue_output);

// The lines of a file of names. Throws Error as [study].
std::vector<std::string> read_cell_list(const std::string& path);

}  // namespace openworld

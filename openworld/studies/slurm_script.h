#pragma once

// Batch scripts for Slurm that work on a study.
//
// A task of a job array computes some of the cells, enough of them to take five minutes or more:
// starting a job costs the cluster seconds. Which ones stands in a file of their names, so that a
// plan that is extended meanwhile changes nothing for tasks that wait in the queue. The script ends
// in `exec`, so that signals reach the worker and not a shell that waits for it. A task that is
// preempted or whose node fails is requeued by Slurm, and one that runs into its time limit by the
// worker itself; either resumes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace openworld {

inline constexpr double kLeastTaskSeconds = 300;

struct SlurmOptions {
  std::string partition = "", account = "", time = "";  // of sbatch; empty: the cluster's defaults
  int cpus = 0;                                         // of each task; 0: the cluster's default
  std::size_t most_at_once = 0;                         // tasks that run at a time; 0: any number
  std::size_t cells_per_task = 0;                       // 0: by kLeastTaskSeconds
  std::vector<std::string> extra = {};                  // further options of sbatch, as they are
};

// What the scripts are of.
struct SlurmStudy {
  std::string program;  // absolute paths
  std::string folder;
  std::string name;
  std::vector<std::string> cells;  // names of those to be computed
  std::optional<double> seconds_per_cell = {};
  std::vector<std::string> flags = {};  // further ones of `study work`
};

// A job array and the list of its cells; the files are named by their content.
struct SlurmScript {
  std::string file, text;
  std::string list_file, list_text;  // a name per line
  std::size_t cells = 0, tasks = 0;
  std::size_t cells_per_task = 0;
};

// Where a study keeps them.
std::string slurm_folder(const std::string& study);

// Cells of one task: what was asked for, else enough for kLeastTaskSeconds, else 10 while no cell
// has finished.
std::size_t cells_per_task(const SlurmOptions& options,
                           const std::optional<double>& seconds_per_cell);

// As many scripts as `max_array_size`, Slurm's MaxArraySize, makes necessary; none if there is no
// cell. Throws Error as [study] for a path or an option with a line break.
std::vector<SlurmScript> slurm_scripts(const SlurmStudy& study, const SlurmOptions& options,
                                       std::size_t max_array_size);

// MaxArraySize in the output of `scontrol show config`; 1001, Slurm's default, if it is not there.
std::size_t max_array_size(const std::string& scontrol_output);

// What `scontrol requeue` takes for the task that this process runs in: "17_3", or "17" for a job
// that is not an array. SLURM_JOB_ID alone would mean the whole array for its last task. None
// outside of Slurm.
std::optional<std::string> slurm_task();

// A word of a shell command.
std::string shell_quoted(const std::string& text);

}  // namespace openworld

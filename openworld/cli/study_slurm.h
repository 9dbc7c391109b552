#pragma once

// `openworld study run --launcher slurm`: writes batch scripts and submits them.

#include <functional>
#include <string>

#include "openworld/studies/slurm_script.h"
#include "openworld/studies/study_store.h"
#include "openworld/studies/worker.h"

namespace CLI {
class App;
}

namespace openworld {

// --partition --account --time --array-limit --cells-per-task --cpus-per-task --sbatch
void declare_slurm(CLI::App& app, SlurmOptions& options);

// The first of those that was given; empty if none was.
std::string given_slurm_flag(const CLI::App& app);

struct SlurmFlags {
  SlurmOptions options;
  bool dry_run = false;  // write the scripts, submit nothing
};

struct SubmittedScript {
  std::string path;
  std::string job;  // its number; empty if it was not submitted
  std::size_t tasks = 0;
  std::size_t cells = 0;
};

// Writes scripts to STUDY/slurm for the cells that nobody computes and that are not in the queue,
// at most `work.limit` of them, and submits them; `submitted` is called after each. How many cells
// are in the queue already. Throws Error if sbatch fails.
std::size_t submit_study(StudyStore& store, const SlurmFlags& flags, const WorkOptions& work,
                         const std::function<void(const SubmittedScript&)>& submitted);

// Asks Slurm to run the task of this process again. Says so on standard error if that fails.
void requeue_this_task();

}  // namespace openworld

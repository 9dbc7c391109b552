#pragma once

// Workers as processes of their own on this machine: the program starts itself again, so that a
// cell that crashes or runs out of memory ends its worker and not the study.

#include <csignal>
#include <functional>
#include <string>
#include <vector>

namespace openworld {

// What to start: argv, with the path of a program first.
using JobArguments = std::vector<std::string>;

struct LocalJobs {
  std::vector<JobArguments> jobs = {};
  // A line of a job's standard output, without its end.
  std::function<void(const std::string& line)> line = {};
  // A job ended by a signal that nobody here sent. Gives the arguments of its replacement; none: it
  // is not replaced.
  std::function<JobArguments(std::int64_t pid, int signal)> crashed = {};
  // Whether to ask all jobs to stop, by SIGTERM; asked about every 100 ms and after every line.
  std::function<bool()> stop = {};
};

// Runs all of them to their ends; their exit codes in the order they ended, 128 + the signal for
// one that a signal ended. Every job has a process group of its own, so that Ctrl-C reaches it only
// through `stop`, and gets SIGTERM when this process dies. Throws Error as [function] if a process
// cannot be started.
std::vector<int> run_local_jobs(const LocalJobs& jobs, std::string_view function);

// How many threads workers have in all: `asked`, or, if that is 0, what Slurm gave the task
// (SLURM_CPUS_PER_TASK), or every core.
int threads_in_all(int asked);

// The share of each of `jobs` workers: at least one.
int threads_of_job(int in_all, int jobs);

// "Killed", "Segmentation fault".
std::string signal_text(int signal);

}  // namespace openworld

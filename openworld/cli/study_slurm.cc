#include "openworld/cli/study_slurm.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/cli/flag_checks.h"
#include "openworld/cli/print_out.h"
#include "openworld/io/atomic_file.h"
#include "openworld/studies/slurm_queue.h"
#include "openworld/studies/study_progress.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

constexpr auto kSlurmGroup = "Slurm";

struct Ran {
  int code = 127;
  std::string output;
};

// Runs a shell command; its standard error stays ours.
Ran run_shell(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return {};
  Ran ran;
  std::array<char, 4096> bytes;
  while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), pipe)) {
    ran.output.append(bytes.data(), size);
  }
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return ran;
}

std::vector<std::string> work_flags(const StudyStore& store, const WorkOptions& work) {
  std::vector<std::string> flags;
  if (work.retry_failed) {
    flags.push_back("--retry-failed");
    flags.push_back(fmt::format("--failed-before={}", store.moment()));
  }
  if (work.verify) flags.push_back("--verify");
  if (work.threads > 0) flags.push_back(fmt::format("--threads={}", work.threads));
  if (work.max_failures > 0) flags.push_back(fmt::format("--max-failures={}", work.max_failures));
  return flags;
}

// What squeue says of the tasks that were submitted before.
std::string queue_of(const std::vector<SlurmJob>& jobs) {
  if (jobs.empty()) return "";
  std::string numbers;
  for (const SlurmJob& job : jobs) numbers += (numbers.empty() ? "" : ",") + job.job;
  // Of one job that it has forgotten squeue says only that the number is invalid.
  return run_shell(fmt::format("squeue -h -r -t PENDING,RUNNING,SUSPENDED,CONFIGURING -o %F_%K "
                               "-j {} 2>/dev/null",
                               shell_quoted(numbers)))
      .output;
}

// The cells that are left to submit.
SlurmStudy slurm_study(StudyStore& store, const WorkOptions& work,
                       const std::set<std::string>& queued) {
  const std::vector<CellStatus> states = store.statuses(work.verify);
  std::error_code error;
  SlurmStudy study{.program = fs::read_symlink("/proc/self/exe", error).string(),
                   .folder = store.folder(),
                   .name = store.study().name,
                   .cells = {},
                   .seconds_per_cell = study_progress(store.cells(), states).seconds_per_cell,
                   .flags = work_flags(store, work)};
  if (error) fail("study", fmt::format("cannot find this program: {}", error.message()));
  for (std::size_t i = 0; i < states.size(); ++i) {
    const StudyCell& cell = store.cells()[i];
    if (work.limit > 0 && study.cells.size() == work.limit) break;
    if (is_open(states[i].state, work.retry_failed) && is_chosen(work, cell, i) &&
        !queued.contains(cell.name)) {
      study.cells.push_back(cell.name);
    }
  }
  return study;
}

// Numbers are names of files; sbatch has nothing else to say.
std::string submit(const std::string& path) {
  const Ran ran = run_shell("sbatch --parsable " + shell_quoted(path));
  const std::string job = ran.output.substr(0, ran.output.find_first_of(";\n"));
  if (ran.code != 0 || job.empty() || job.find_first_not_of("0123456789") != job.npos) {
    fail("study", fmt::format("{}: sbatch ended with exit code {}", path, ran.code));
  }
  return job;
}

}  // namespace

void declare_slurm(CLI::App& app, SlurmOptions& options) {
  const auto group = kSlurmGroup;
  app.add_option("--partition", options.partition, "of sbatch")->group(group);
  app.add_option("--account", options.account, "of sbatch")->group(group);
  app.add_option("--time", options.time, "time limit of a task, as of sbatch")->group(group);
  app.add_option("--cpus-per-task", options.cpus, "of sbatch; the worker uses as many threads")
      ->check(CLI::Range(1, 4096))
      ->group(group);
  app.add_option("--array-limit", options.most_at_once, "tasks that run at a time [any number]")
      ->check(whole_number())
      ->group(group);
  app.add_option("--cells-per-task", options.cells_per_task,
                 "cells of a task [enough for five minutes, by the cells that are done; else 10]")
      ->check(whole_number())
      ->group(group);
  app.add_option("--sbatch", options.extra,
                 "another option of sbatch, such as --mem=8G; repeatable")
      ->group(group);
}

std::string given_slurm_flag(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group() == kSlurmGroup && option->count() > 0) return option->get_name();
  }
  return "";
}

std::size_t submit_study(StudyStore& store, const SlurmFlags& flags, const WorkOptions& work,
                         const std::function<void(const SubmittedScript&)>& submitted) {
  const std::string folder = slurm_folder(store.folder());
  const std::vector<SlurmJob> jobs = read_slurm_jobs(folder);
  const std::set<std::string> queued = queued_cells(folder, jobs, queue_of(jobs));
  const SlurmStudy study = slurm_study(store, work, queued);
  const Ran config = flags.dry_run ? Ran{} : run_shell("scontrol show config 2>/dev/null");
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("study", fmt::format("{}: cannot be created: {}", folder, error.message()));
  for (const SlurmScript& script :
       slurm_scripts(study, flags.options, max_array_size(config.output))) {
    SubmittedScript done{folder + "/" + script.file, "", script.tasks, script.cells};
    write_file_atomically(folder + "/" + script.list_file, script.list_text, "study");
    write_file_atomically(done.path, script.text, "study");
    if (!flags.dry_run) {
      done.job = submit(done.path);
      write_slurm_job(folder, {done.job, script.list_file, script.cells_per_task});
    }
    submitted(done);
  }
  return queued.size();
}

void requeue_this_task() {
  const std::optional<std::string> task = slurm_task();
  if (!task) return print_error("openworld study: not a task of Slurm, so nothing is requeued");
  const Ran ran = run_shell("scontrol requeue " + shell_quoted(*task));
  if (ran.code == 0) return;
  print_error(
      fmt::format("openworld study: scontrol requeue {} ended with exit code {}", *task, ran.code));
}

}  // namespace openworld

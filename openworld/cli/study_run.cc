#include "openworld/cli/study_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "openworld/base/error.h"
#include "openworld/base/stop_signals.h"
#include "openworld/cli/print_out.h"
#include "openworld/cli/study_text.h"
#include "openworld/studies/local_jobs.h"
#include "openworld/studies/slurm_queue.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

// A worker's line about a cell that failed begins so; the supervisor counts them.
constexpr std::string_view kFailed = "failed  ";

// At once, for whoever reads it through a pipe.
void print_line(const std::string& line) {
  print_out("{}\n", line);
  std::fflush(stdout);
}

JobArguments worker_arguments(const std::string& out, const WorkOptions& options) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) fail("study", fmt::format("cannot find this program: {}", error.message()));
  JobArguments words = {
      program.string(), "study", "work", out, "--threads", std::to_string(options.threads)};
  const auto add = [&](const char* flag, std::size_t value) {
    if (value > 0) words.insert(words.end(), {flag, std::to_string(value)});
  };
  add("--limit", options.limit);
  add("--max-failures", options.max_failures);
  add("--from", options.first_cell);
  add("--to", options.last_cell);
  if (options.retry_failed) words.push_back("--retry-failed");
  if (options.failed_before) {
    words.push_back(fmt::format("--failed-before={}", *options.failed_before));
  }
  if (options.verify) words.push_back("--verify");
  if (!options.only.empty()) words.insert(words.end(), {"--only=" + options.only});
  return words;
}

// Shares of a limit: the first workers take one more.
std::size_t share(std::size_t limit, std::size_t jobs, std::size_t job) {
  return limit / jobs + (job < limit % jobs ? 1 : 0);
}

}  // namespace

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) fail("study", fmt::format("{}: {}", path, error.message()));
  return absolute.lexically_normal().string();
}

ResolvedPlan resolve_plan(const std::string& plan_name, const PlanChanges& changes,
                          const StudyBackend& backend) {
  const Origin origin{"study", plan_name};
  PlanText read = read_plan_text(plan_name, changes, "study");
  ResolvedPlan resolved;
  resolved.text = std::move(read.text);
  const Plan plan = parse_plan(resolved.text, origin);
  resolved.study.name = plan.name;
  resolved.study.folder = std::move(read.folder);
  std::error_code error;
  // The copy of a plan that a study keeps: its paths begin where those of the plan did.
  const std::string beside = resolved.study.folder + "/study.json";
  if (fs::exists(beside, error)) resolved.study.folder = read_study_file({"study", beside}).folder;
  fs::current_path(resolved.study.folder, error);
  if (error) origin.fail(fmt::format("its folder cannot be entered: {}", error.message()));
  resolved.study.cells = expand_plan(plan, *backend.make_resolver(), origin);
  return resolved;
}

void enter_plan_folder(const StudyStore& store) {
  std::error_code error;
  fs::current_path(store.study().folder, error);
  if (!error) return;
  print_note(fmt::format("openworld study: {}: {}; relative paths of the plan begin there",
                         store.study().folder, error.message()));
}

void choose_listed_cells(const std::string& file, WorkOptions& options) {
  const std::vector<std::string> names = read_cell_list(file);
  const std::size_t first =
      std::min(std::max<std::size_t>(options.first_cell, 1) - 1, names.size());
  const std::size_t last =
      options.last_cell == 0 ? names.size() : std::min(options.last_cell, names.size());
  options.names.emplace();
  for (std::size_t i = first; i < last; ++i) options.names->insert(names[i]);
  options.first_cell = options.last_cell = 0;
}

int stopped_exit_code(int signal) {
  return signal == SIGINT ? 130 : 143;
}

int run_worker(StudyStore& store, CellRunner& runner, const WorkOptions& options, bool json,
               WorkSummary& summary) {
  const StopSignals signals;
  WorkObserver observer;
  observer.stop = [&] { return signals.asked(); };
  observer.note = [](const std::string& line) { print_note("openworld study: " + line); };
  if (!json) {
    observer.finished = [](const StudyCell& cell, double seconds) {
      print_line(fmt::format("done    {}  {}", cell.name, duration_text(seconds)));
    };
    observer.failed = [](const StudyCell& cell, const std::string& error) {
      print_line(fmt::format("{}{}  {}", kFailed, cell.name, printable_line(error)));
    };
  }
  summary = work(store, runner, options, observer);
  return signals.signal();
}

int run_workers(StudyStore& store, const RunFlags& flags, const WorkOptions& options) {
  // One that replaces one that crashed is not counted as a success of anything: without a cell to
  // blame, something else is wrong with this machine.
  constexpr int kMostUnexplained = 10;
  auto jobs = static_cast<std::size_t>(flags.jobs);
  if (options.limit > 0) jobs = std::min(jobs, options.limit);
  const StopSignals signals;
  std::size_t failures = 0;
  int unexplained = 0;
  LocalJobs local;
  WorkOptions each = options;
  if (options.retry_failed) each.failed_before = store.moment();
  each.threads = threads_of_job(threads_in_all(options.threads), static_cast<int>(jobs));
  for (std::size_t job = 0; job < jobs; ++job) {
    each.limit = share(options.limit, jobs, job);
    local.jobs.push_back(worker_arguments(flags.out, each));
  }
  local.line = [&](const std::string& line) {
    const bool failed = line.starts_with(kFailed);
    if (failed) ++failures;
    if (!flags.json) print_line(line);
    if (flags.json && failed) print_error(line);
  };
  local.crashed = [&](std::int64_t pid, int signal) {
    const std::string error =
        fmt::format("the worker was ended by a signal: {}", signal_text(signal));
    if (const auto name = store.fail_cell_of(pid, error)) {
      local.line(fmt::format("{}{}  {}", kFailed, *name, error));
    } else if (++unexplained > kMostUnexplained) {
      return JobArguments{};
    }
    each.limit = 0;
    return options.limit > 0 ? JobArguments{} : worker_arguments(flags.out, each);
  };
  local.stop = [&] {
    return signals.asked() || (options.max_failures > 0 && failures >= options.max_failures);
  };
  run_local_jobs(local, "study");
  return signals.signal();
}

}  // namespace openworld

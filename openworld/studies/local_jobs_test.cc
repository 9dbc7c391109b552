#include "openworld/studies/local_jobs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "openworld/base/threads.h"

namespace openworld {
namespace {

JobArguments shell(const std::string& script) {
  return {"/bin/sh", "-c", script};
}

TEST(LocalJobs, PassesLinesOn) {
  std::vector<std::string> lines;
  LocalJobs jobs{.jobs = {shell("echo a; echo b; exit 3"), shell("printf 'c\\nrest'")}};
  jobs.line = [&](const std::string& line) { lines.push_back(line); };
  std::vector<int> codes = run_local_jobs(jobs, "study");
  std::sort(lines.begin(), lines.end());
  std::sort(codes.begin(), codes.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(codes, (std::vector<int>{0, 3}));
}

TEST(LocalJobs, StopsAllOfThem) {
  int lines = 0;
  const std::string job = "trap 'exit 143' TERM; echo x; while :; do sleep 0.05; done";
  LocalJobs jobs{.jobs = {shell(job), shell(job)}};
  jobs.line = [&](const std::string&) { ++lines; };
  jobs.stop = [&] { return lines == 2; };
  EXPECT_EQ(run_local_jobs(jobs, "study"), (std::vector<int>{143, 143}));
}

TEST(LocalJobs, ReplacesOneThatCrashed) {
  std::vector<int> signals;
  LocalJobs jobs{.jobs = {shell("kill -9 $$")}};
  jobs.crashed = [&](std::int64_t pid, int signal) {
    EXPECT_GT(pid, 1);
    signals.push_back(signal);
    return signals.size() < 3 ? shell("kill -SEGV $$") : JobArguments{};
  };
  EXPECT_EQ(run_local_jobs(jobs, "study"), (std::vector<int>{137, 139, 139}));
  EXPECT_EQ(signals, (std::vector<int>{SIGKILL, SIGSEGV, SIGSEGV}));
  EXPECT_EQ(signal_text(SIGKILL), "Killed");
}

TEST(LocalJobs, AProgramThatIsNotThereEnds) {
  EXPECT_EQ(run_local_jobs({.jobs = {{"/no/such/program"}}}, "study"), std::vector<int>{127});
}

TEST(LocalJobs, DividesThreads) {
  ::unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_EQ(threads_in_all(0), default_threads());
  EXPECT_EQ(threads_in_all(7), 7);
  ::setenv("SLURM_CPUS_PER_TASK", "6", 1);
  EXPECT_EQ(threads_in_all(0), 6);
  EXPECT_EQ(threads_in_all(2), 2);
  for (const char* wrong : {"", "x", "6x", "-1", "0", "99999999999"}) {
    ::setenv("SLURM_CPUS_PER_TASK", wrong, 1);
    EXPECT_EQ(threads_in_all(0), default_threads()) << wrong;
  }
  ::unsetenv("SLURM_CPUS_PER_TASK");
  EXPECT_EQ(threads_of_job(8, 3), 2);
  EXPECT_EQ(threads_of_job(2, 5), 1);
}

}  // namespace
}  // namespace openworld

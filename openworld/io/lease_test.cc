#include "openworld/io/lease.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "openworld/io/lease_keeper.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::read_file;
using testing::TempFolder;

void set_age(const std::string& path, double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= static_cast<time_t>(seconds);
  const struct timespec times[2] = {now, now};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

std::size_t files_in(const std::string& folder) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    count += entry.path().filename() == ".clock" ? 0 : 1;
  }
  return count;
}

class LeaseTest : public ::testing::Test {
 protected:
  std::optional<Lease> claim() { return Lease::claim(path, clock, "study"); }

  // As if a process of another machine had written it.
  void write_foreign(double age) {
    folder.write("leases/cell", R"({"host":"far","pid":1,"boot":"b","processes":"p","started":5})");
    set_age(path, age);
  }

  TempFolder folder;
  std::string path = (folder.write("leases/x", ""), std::filesystem::remove(folder / "leases/x"),
                      folder / "leases/cell");
  FolderClock clock{folder / "leases/.clock"};
};

TEST_F(LeaseTest, OneClaimSucceeds) {
  std::optional<Lease> first = claim();
  ASSERT_TRUE(first);
  EXPECT_FALSE(claim());
  EXPECT_TRUE(first->still_held());
  EXPECT_FALSE(first->taken_over());
  first.reset();
  EXPECT_EQ(files_in(folder / "leases"), 0u);
  EXPECT_TRUE(claim());
}

TEST_F(LeaseTest, OneOfManyThreadsSucceeds) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> taken = 0;
    std::vector<std::optional<Lease>> leases(8);
    std::vector<std::thread> threads;
    for (auto& lease : leases) {
      threads.emplace_back([&] {
        lease = Lease::claim(path, clock, "study");
        if (lease) ++taken;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(taken, 1);
  }
  EXPECT_EQ(files_in(folder / "leases"), 0u);
}

// Of many that see the same stale lease; a fresh one is never taken from its owner for good.
TEST_F(LeaseTest, AStaleLeaseIsTakenOverOnce) {
  for (int round = 0; round < 20; ++round) {
    write_foreign(301);
    std::vector<std::optional<Lease>> leases(8);
    std::vector<std::thread> threads;
    for (auto& lease : leases) {
      threads.emplace_back([&] { lease = Lease::claim(path, clock, "study"); });
    }
    for (std::thread& thread : threads) thread.join();
    int held = 0;
    for (const auto& lease : leases) held += lease && lease->still_held() ? 1 : 0;
    EXPECT_LE(held, 1);
    leases.clear();
    std::filesystem::remove(path);
  }
}

TEST_F(LeaseTest, SaysWhoHasIt) {
  const std::optional<Lease> lease = claim();
  const std::optional<LeaseState> state = look_at_lease(path, clock);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->owner, this_owner());
  EXPECT_EQ(state->owner.pid, ::getpid());
  EXPECT_FALSE(state->owner.boot.empty());
  EXPECT_GT(state->owner.started, 0);
  EXPECT_FALSE(state->stale);
  EXPECT_LT(std::abs(state->age), 5);
  EXPECT_NE(owner_text(state->owner).find("process " + std::to_string(::getpid())),
            std::string::npos);
}

TEST_F(LeaseTest, SlurmIdsAreRecorded) {
  ::setenv("SLURM_JOB_ID", "17", 1);
  ::setenv("SLURM_ARRAY_JOB_ID", "15", 1);
  ::setenv("SLURM_ARRAY_TASK_ID", "2", 1);
  const std::optional<Lease> lease = claim();
  for (const char* name : {"SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"}) {
    ::unsetenv(name);
  }
  const LeaseOwner owner = look_at_lease(path, clock)->owner;
  EXPECT_EQ(owner.slurm_job, "17");
  EXPECT_TRUE(owner_text(owner).ends_with(", Slurm job 15_2"));
}

TEST_F(LeaseTest, IsStaleByTheFoldersClock) {
  write_foreign(290);
  EXPECT_FALSE(look_at_lease(path, clock)->stale);
  EXPECT_FALSE(claim());
  write_foreign(310);
  EXPECT_TRUE(look_at_lease(path, clock)->stale);
  const std::optional<Lease> lease = claim();
  ASSERT_TRUE(lease);
  EXPECT_TRUE(lease->taken_over());
}

// A server whose clock is an hour behind or ahead gives files the times of its own clock.
TEST_F(LeaseTest, TheTimeOfThisMachineDoesNotMatter) {
  for (const double hour : {-3600.0, 3600.0}) {
    FolderClock server(folder / "leases/.clock", [&](const std::string& file) {
      const auto here = touch_file(file);
      return here ? std::optional(*here + FolderTime(hour)) : std::nullopt;
    });
    write_foreign(290 - hour);
    EXPECT_FALSE(look_at_lease(path, server)->stale);
    EXPECT_FALSE(Lease::claim(path, server, "study"));
    write_foreign(310 - hour);
    EXPECT_TRUE(look_at_lease(path, server)->stale);
    EXPECT_TRUE(Lease::claim(path, server, "study"));
  }
}

TEST_F(LeaseTest, TheClockAsksTheFolder) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  EXPECT_NEAR(clock.now().count(), static_cast<double>(now.tv_sec), 5);
  struct stat status;
  ASSERT_EQ(::stat((folder / "leases/.clock").c_str(), &status), 0);
  EXPECT_NEAR(static_cast<double>(status.st_mtim.tv_sec), clock.now().count(), 5);
  // In a folder that cannot be written there is only the time of this machine.
  FolderClock none(folder / "missing/.clock");
  EXPECT_NEAR(none.now().count(), static_cast<double>(now.tv_sec), 5);
}

TEST_F(LeaseTest, ADeadProcessOfThisMachineLosesItAtOnce) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::optional<Lease> lease = Lease::claim(path, clock, "study");
    ::_exit(lease ? 0 : 1);  // without destructors: as if it had been killed
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::optional<LeaseState> state = look_at_lease(path, clock);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->owner.pid, child);
  EXPECT_LT(state->age, 60);
  EXPECT_TRUE(state->stale);
  EXPECT_TRUE(claim());
}

// Where nobody waits for orphans, as in many containers, they stay in the list of processes.
TEST_F(LeaseTest, AProcessThatNobodyWaitedForHasEnded) {
  std::array<int, 2> ends;
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::optional<Lease> lease = Lease::claim(path, clock, "study");
    ::_exit(lease ? 0 : 1);
  }
  ::close(ends[1]);
  char byte = 0;
  ASSERT_EQ(::read(ends[0], &byte, 1), 0);  // the end of the child closed its copy
  ::close(ends[0]);
  while (!look_at_lease(path, clock)->stale) ::usleep(1000);
  EXPECT_TRUE(claim());
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(LeaseTest, AnotherBootOrNamespaceIsNotKnownToHaveEnded) {
  LeaseOwner owner = this_owner();
  EXPECT_FALSE(has_ended(owner));
  owner.pid = 1 << 22;  // past the largest pid
  EXPECT_TRUE(has_ended(owner));
  LeaseOwner other = owner;
  other.boot = "another";
  EXPECT_FALSE(has_ended(other));
  other = owner;
  other.processes = "pid:[1]";
  EXPECT_FALSE(has_ended(other));
  other = this_owner();
  other.started += 1;  // the pid is used again
  EXPECT_TRUE(has_ended(other));
}

TEST_F(LeaseTest, ADamagedLeaseExpiresByItsAge) {
  for (const char* text : {"", "{", "[]", "{\"pid\":\"x\"}"}) {
    folder.write("leases/cell", text);
    EXPECT_FALSE(look_at_lease(path, clock)->stale);
    EXPECT_EQ(owner_text(look_at_lease(path, clock)->owner), "an unknown process");
    set_age(path, 301);
    EXPECT_TRUE(look_at_lease(path, clock)->stale);
  }
}

TEST_F(LeaseTest, AnOwnerFindsThatItLostIt) {
  std::optional<Lease> lease = claim();
  set_age(path, 1000);
  EXPECT_TRUE(lease->renew());
  EXPECT_LT(look_at_lease(path, clock)->age, 5);
  std::filesystem::remove(path);
  write_foreign(0);
  EXPECT_FALSE(lease->still_held());
  EXPECT_FALSE(lease->renew());
  lease.reset();
  EXPECT_TRUE(std::filesystem::exists(path));  // that of somebody else stays
}

TEST_F(LeaseTest, WhatCannotBeReadIsNotLost) {
  std::optional<Lease> lease = claim();
  struct rlimit limit;
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const struct rlimit none { 0, limit.rlim_max };
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const bool held = lease->still_held();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_TRUE(held);
  std::filesystem::remove(path);
  EXPECT_FALSE(lease->still_held());
}

TEST_F(LeaseTest, TheKeeperRenewsIt) {
  LeaseKeeper keeper(std::chrono::milliseconds(20));
  keeper.keep(*claim());
  set_age(path, 1000);
  for (int i = 0; i < 500 && look_at_lease(path, clock)->age > 100; ++i) ::usleep(10'000);
  EXPECT_LT(look_at_lease(path, clock)->age, 100);
  EXPECT_FALSE(keeper.lost());
  std::filesystem::remove(path);
  for (int i = 0; i < 500 && !keeper.lost(); ++i) ::usleep(10'000);
  EXPECT_TRUE(keeper.lost());
  EXPECT_FALSE(keeper.still_held());
}

TEST_F(LeaseTest, RemovesWhatKilledClaimsLeft) {
  folder.write("leases/cell.tmp.0123", "{}");
  set_age(folder / "leases/cell.tmp.0123", 400);
  folder.write("leases/cell.tmp.4567", "{}");
  write_foreign(400);
  remove_half_made_leases(folder / "leases", clock);
  EXPECT_FALSE(std::filesystem::exists(folder / "leases/cell.tmp.0123"));
  EXPECT_TRUE(std::filesystem::exists(folder / "leases/cell.tmp.4567"));
  EXPECT_TRUE(std::filesystem::exists(path));
}

TEST_F(LeaseTest, AFolderThatIsNotThereIsAnError) {
  EXPECT_ERROR(Lease::claim(folder / "none/cell", clock, "study"),
               "[study] " + (folder / "none/cell") + ": cannot be written");
}

}  // namespace
}  // namespace openworld

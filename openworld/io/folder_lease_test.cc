#include "openworld/io/folder_lease.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

TEST(FolderLease, HasOneOwner) {
  const TempFolder folder;
  const std::string path = folder / "run";
  std::optional<FolderLease> first(FolderLease(path, "tune"));
  EXPECT_ERROR(FolderLease(path, "tune"),
               "[tune] " + path + ": is being written by process " + std::to_string(::getpid()));
  first.reset();
  EXPECT_FALSE(std::filesystem::exists(path + "/.lock"));
  EXPECT_NO_THROW(FolderLease(path, "tune"));
}

TEST(FolderLease, IsLostByAProcessThatDies) {
  const TempFolder folder;
  const std::string path = folder / "run";
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const FolderLease lease(path, "tune");
    [[maybe_unused]] const ssize_t written = ::write(ready[1], "x", 1);
    ::pause();
  }
  char byte;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_ERROR(FolderLease(path, "tune"), "is being written by process " + std::to_string(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(std::filesystem::exists(path + "/.lock"));
  EXPECT_NO_THROW(FolderLease(path, "tune"));
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST(FolderLease, IsNeverHeldTwice) {
  const TempFolder folder;
  const std::string path = folder / "run";
  std::atomic<int> owners{0}, taken{0};
  std::atomic<bool> twice{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        try {
          const FolderLease lease(path, "tune");
          if (owners.fetch_add(1) != 0) twice = true;
          ++taken;
          owners.fetch_sub(1);
        } catch (const Error&) {
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(twice);
  EXPECT_GT(taken, 0);
}

TEST(FolderLease, NamesAFolderItCannotMake) {
  const TempFolder folder;
  const std::string file = folder.write("file", "x");
  EXPECT_ERROR(FolderLease(file + "/run", "tune"), file + "/run: cannot be created");
}

}  // namespace
}  // namespace openworld

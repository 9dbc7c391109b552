#pragma once

// FolderClock: the time of the machine that keeps a folder.
//
// Ages of files on a network file system are by the server's clock, which may be minutes off from
// this machine's. The clock touches a file in the folder and reads the time that the server gave
// it.

#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace openworld {

// Seconds since 1970 by the clock of the folder.
using FolderTime = std::chrono::duration<double>;

// Sets the mtime of the file, which is made if need be, to the server's time, and returns it; none
// if it cannot be written.
std::optional<FolderTime> touch_file(const std::string& file);

class FolderClock {
 public:
  // `file` is made when first needed and stays. `touch` is for tests.
  explicit FolderClock(
      std::string file,
      std::function<std::optional<FolderTime>(const std::string&)> touch = touch_file)
      : file_(std::move(file)), touch_(std::move(touch)) {}

  // Asks the folder at most once in 10 s and counts on by the steady clock in between. In a folder
  // that cannot be written it is this machine's time. Any thread.
  FolderTime now();

 private:
  using Steady = std::chrono::steady_clock;

  std::string file_;
  std::function<std::optional<FolderTime>(const std::string&)> touch_;
  std::mutex mutex_;  // guards all below
  std::optional<Steady::time_point> asked_;
  FolderTime answer_{};
};

}  // namespace openworld

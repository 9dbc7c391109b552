#pragma once

// Progress on stderr: done, rate and time left, on one line that rewrites itself. Silent when
// stderr is not a terminal, so that logs and pipes stay clean.

#include <chrono>
#include <cstddef>
#include <string>

namespace openworld {

// Whether Progress shows anything, in this process; it does by default.
void show_progress(bool shown);

class Progress {
 public:
  Progress(std::string label, std::size_t total);
  ~Progress();  // clears the line

  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `done` items are finished; `note` stands at the end of the line. Call from one thread at a
  // time; cheap enough to call for every item.
  void update(std::size_t done, const std::string& note = "");

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  std::size_t total_;
  bool shown_;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace openworld

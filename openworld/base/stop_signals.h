#pragma once

#include <csignal>

namespace openworld {

// While it lives, SIGINT, SIGTERM and SIGUSR1, which Slurm sends before a time limit, do not end
// the program but ask a long job to stop at its next safe place. A second one of them ends it at
// once. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const { return signal() != 0; }

  // The signal that asked, or 0.
  int signal() const;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {}, user_ = {};
};

}  // namespace openworld

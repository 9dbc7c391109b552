#pragma once

#include <csignal>

namespace openworld {

// While it lives, SIGINT and SIGTERM do not end the program but ask a long job to stop at its next
// safe place. One at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const;

 private:
  struct sigaction interrupt_ = {}, terminate_ = {};
};

}  // namespace openworld

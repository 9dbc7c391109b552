#include "openworld/base/stop_signals.h"

#include <atomic>

namespace openworld {
namespace {

std::atomic<bool> stop_asked = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // or a handler must not set it

}  // namespace

StopSignals::StopSignals() {
  stop_asked = false;
  struct sigaction action = {};
  action.sa_handler = [](int) { stop_asked = true; };
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

bool StopSignals::asked() const {
  return stop_asked;
}

}  // namespace openworld

#pragma once

// Wall time of the parts of a job.

#include <chrono>

namespace openworld {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace openworld

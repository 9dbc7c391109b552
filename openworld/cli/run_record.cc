#include "openworld/cli/run_record.h"

#include <fmt/format.h>

#include <fstream>

#include "openworld/base/version.h"

namespace openworld {
namespace {

// The high-water mark of this program. getrusage() would include whoever started it: a child counts
// the memory of its parent until it runs a program of its own.
std::int64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word != "VmHWM:") continue;
    std::int64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * 1024;
  }
  return 0;
}

}  // namespace

std::string RunRecord::json() const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  return fmt::format(R"({{"seconds": {:.6f}, "peak_memory_bytes": {}, "version": "{}"}})",
                     seconds.count(), peak_memory_bytes(), OPENWORLD_VERSION);
}

}  // namespace openworld

#include "openworld/cli/run_record.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include "openworld/base/version.h"

namespace openworld {

std::string RunRecord::json() const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return fmt::format(R"({{"seconds": {:.6f}, "peak_memory_bytes": {}, "version": "{}"}})",
                     seconds.count(), usage.ru_maxrss * 1024L, OPENWORLD_VERSION);
}

}  // namespace openworld

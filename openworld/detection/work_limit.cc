#include "openworld/detection/work_limit.h"

#include <fmt/format.h>

#include "openworld/base/error.h"

namespace openworld {

void request_steps(std::uint64_t steps, std::uint64_t file_bytes, std::string_view what) {
  const std::uint64_t most = kFreeSteps + kStepsPerByte * file_bytes;
  if (steps <= most) return;
  fail("detect",
       fmt::format("{} take more than {:.1e} steps to compare, the most for files of {} bytes: "
                   "expected fewer detections and objects in one image",
                   what, static_cast<double>(most), file_bytes));
}

}  // namespace openworld

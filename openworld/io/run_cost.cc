#include "openworld/io/run_cost.h"

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "openworld/base/version.h"
#include "openworld/io/json_fields.h"

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

RunCost RunClock::cost() const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
  // To the microsecond, so that the JSON has no digits that mean nothing.
  return {std::round(seconds.count() * 1e6) / 1e6, peak_memory_bytes(), OPENWORLD_VERSION};
}

nlohmann::ordered_json run_cost_json(const RunCost& cost) {
  return {{"seconds", cost.seconds},
          {"peak_memory_bytes", cost.peak_memory_bytes},
          {"version", cost.version}};
}

RunCost read_run_cost(const JsonFields& result) {
  const JsonFields cost = result.object(result.has("cost") ? "cost" : "run");
  // JsonFields::integer() ends at 2^32, which is 4 GiB.
  const nlohmann::json& bytes = cost["peak_memory_bytes"];
  if (!bytes.is_null() && !bytes.is_number_integer()) {
    cost.fail("peak_memory_bytes", "a whole number");
  }
  return {cost.number("seconds", 0), bytes.is_null() ? 0 : bytes.get<std::int64_t>(),
          cost.text("version", "")};
}

}  // namespace openworld

#pragma once

// What a run cost: wall time and peak memory, with the version of the program. Everything that may
// differ between two runs of the same command is in it and nowhere else.

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

class JsonFields;

struct RunCost {
  double seconds = 0;
  std::int64_t peak_memory_bytes = 0;  // 0 where the system does not say
  std::string version;

  bool operator==(const RunCost&) const = default;
};

// Counts from when it was made.
class RunClock {
 public:
  RunClock() : start_(std::chrono::steady_clock::now()) {}

  RunCost cost() const;

 private:
  std::chrono::steady_clock::time_point start_;
};

// {"seconds":, "peak_memory_bytes":, "version":}
nlohmann::ordered_json run_cost_json(const RunCost& cost);

// The object "cost" of a result, called "run" in results of schema /1. Throws Error.
RunCost read_run_cost(const JsonFields& result);

}  // namespace openworld

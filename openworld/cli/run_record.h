#pragma once

// What a run cost: wall time and peak memory, with the versions, for the "run" object of JSON
// results. Everything that may differ between two runs of the same command is in it and nowhere
// else.

#include <chrono>
#include <string>

namespace openworld {

class RunRecord {
 public:
  RunRecord() : start_(std::chrono::steady_clock::now()) {}

  // {"seconds":, "peak_memory_bytes":, "version":}
  std::string json() const;

 private:
  std::chrono::steady_clock::time_point start_;
};

}  // namespace openworld

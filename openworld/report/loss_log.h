#pragma once

// The training loss of a run, from its log.jsonl.

#include <cstdint>
#include <string>
#include <vector>

namespace openworld {

struct LossPoint {
  std::int64_t step = 0;
  double loss = 0;  // mean of an epoch
};

// At most `most` points in order of steps, evenly over those there are; none if there is no log.
// Lines that are no objects with a step and a finite loss are skipped: a log is not part of what a
// run depends on. Throws Error if a log that is there cannot be read.
std::vector<LossPoint> read_losses(const std::string& path, std::size_t most = 200);

}  // namespace openworld

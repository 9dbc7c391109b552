#pragma once

// log.jsonl of a run: a line after every epoch.

#include <cstdint>
#include <optional>
#include <string>

#include "openworld/io/training_log.h"

namespace openworld {

struct EpochLine {
  std::int64_t step = 0;  // that are done
  std::string stage;
  std::int64_t epoch = 0;  // of the stage, from 1
  double loss = 0;         // mean of the epoch
  double lr = 0;
  double seconds = 0;  // of training so far, over all times it was resumed
};

class EpochLog {
 public:
  // Resumes after `step`: later lines, which are about to be written again, go. Throws Error.
  EpochLog(const std::string& path, std::int64_t step, const std::string& function);

  // The last line, if there is one.
  const std::optional<EpochLine>& last() const { return last_; }

  // Throws Error.
  void add(const EpochLine& line);

 private:
  std::optional<EpochLine> last_;
  TrainingLog log_;
};

}  // namespace openworld

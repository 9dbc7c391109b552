#pragma once

// The log of a training run: one JSON object per line, each with the "step" it was written after.

#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

// Before a run resumes at `step`: drops the lines of later steps, which are about to be written
// again, and lines that are damaged. Returns the last line that stays, or null. Throws Error.
nlohmann::ordered_json cut_log(const std::string& path, std::int64_t step,
                               const std::string& function);

class TrainingLog {
 public:
  // Appends to the file. Throws Error.
  TrainingLog(const std::string& path, const std::string& function);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // Flushed when it returns. Throws Error.
  void add(const nlohmann::ordered_json& line);

 private:
  std::string path_, function_;
  std::FILE* file_;
};

}  // namespace openworld

#pragma once

// The log of a training: one JSON object a line, each with the "step" it was written after.

#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace openworld {

// Drops the lines after a step, which are about to be written again, and what is no line of a log.
// The last line that stays, or null. Throws Error.
nlohmann::ordered_json cut_log(const std::string& path, std::int64_t step,
                               const std::string& function);

class TrainingLog {
 public:
  // Goes on at the end of the file. Throws Error.
  TrainingLog(const std::string& path, const std::string& function);
  ~TrainingLog();
  TrainingLog(const TrainingLog&) = delete;
  TrainingLog& operator=(const TrainingLog&) = delete;

  // On the disk's side when it returns. Throws Error.
  void add(const nlohmann::ordered_json& line);

 private:
  std::string path_, function_;
  std::FILE* file_;
};

}  // namespace openworld

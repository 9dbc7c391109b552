#pragma once

// How `openworld study` shows a study.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "openworld/studies/study_progress.h"

namespace openworld {

// Counts, rate, time left and each failure once; lines that end with a line break.
std::string progress_text(const std::string& study, const StudyProgress& progress);

nlohmann::ordered_json progress_json(const std::string& study, const StudyProgress& progress);

// "1 cell", "2 cells".
std::string counted_cells(std::size_t count);

// "12 s", "3 min", "2 h 5 min", "3 days 4 h".
std::string duration_text(double seconds);

}  // namespace openworld

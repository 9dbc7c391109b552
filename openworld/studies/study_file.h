#pragma once

// study.json: the cells of a study, and where relative paths in them begin. Schema
// "openworld.study/1". Workers read it instead of the plan.

#include <string>
#include <string_view>
#include <vector>

#include "openworld/studies/expand.h"

namespace openworld {

struct StudyFile {
  std::string name;    // of the plan
  std::string folder;  // where relative paths begin: that of the plan
  std::vector<StudyCell> cells;
};

std::string study_file_text(const StudyFile& study);

// Throw Error, also for a study of another protocol version.
StudyFile parse_study_file(std::string_view text, const Origin& origin);
StudyFile read_study_file(const Origin& origin);

// What became of the cells of a study whose plan was changed.
struct PlanChange {
  std::size_t added = 0;
  std::size_t removed = 0;
  // The first cell that is not there any more, and how the nearest of those that were added differs
  // from it, or, where none was, what no cell has any more; empty if none was removed.
  std::string difference;
};

PlanChange plan_change(const std::vector<StudyCell>& was, const std::vector<StudyCell>& now);

}  // namespace openworld

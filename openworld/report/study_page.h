#pragma once

// A study as one page of HTML without scripts: tables, curves over levels, missing and failed
// cells.

#include <span>
#include <string>

#include "openworld/studies/study_table.h"

namespace openworld {

struct StudyPageInput {
  std::string title;
  std::span<const StudyCell> cells;
  std::span<const CellStatus> states;
  std::span<const StudyGrid> grids;
  std::span<const StudyTable> tables;
};

std::string study_page(const StudyPageInput& input);

}  // namespace openworld

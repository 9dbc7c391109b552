#pragma once

// The table of learners. A method is one pair of files and one row here; `openworld ls learners`,
// `openworld help learner` and the docs print the row.

#include <span>
#include <string_view>

#include "openworld/learners/learner.h"

namespace openworld {

std::span<const LearnerRow> learners();

// The row of that name, regardless of case, '-' and '_'. Throws Error that lists the names there
// are.
const LearnerRow& find_learner(std::string_view name);

}  // namespace openworld

#pragma once

// The table of scenarios. A scenario is one pair of files and one row here; `openworld ls
// scenarios` and the docs print the row.

#include <span>
#include <string_view>

#include "openworld/scenarios/scenario.h"

namespace openworld {

std::span<const ScenarioRow> scenario_rows();

// The row of that name, regardless of case, '-' and '_'. Throws Error that names the nearest and
// lists those there are.
const ScenarioRow& find_scenario(std::string_view name);

}  // namespace openworld

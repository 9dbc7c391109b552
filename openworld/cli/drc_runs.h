#pragma once

// The curves of runs of a scenario, for `openworld drc`.

#include <string>
#include <vector>

#include "openworld/io/csv.h"

namespace openworld {

// A table of the columns method, world, t, acc and seed: OpenPL's accuracy (overall_acc) of every
// level of every run. Throws Error as [drc] for runs that are not finished, that have no scenario
// whose levels are numbers, or that have different ones.
CsvTable curves_of_runs(const std::vector<std::string>& folders);

}  // namespace openworld

#pragma once

// What a finished run is announced with on standard output: a line about the training, and a line
// of metrics or, for a scenario, a table of its levels.

#include "openworld/runs/run_result.h"

namespace openworld {

void print_result(const RunResult& result);

}  // namespace openworld

#pragma once

// What the tests of this layer and those above share: specs and run folders.

#include <cstdint>
#include <string>
#include <vector>

#include "openworld/runs/run_result.h"
#include "openworld/runs/run_spec.h"

namespace openworld {

// A spec in which every field has a value of its own. Its classes are ice_cream and cup (base),
// sea_horse and bus (new).
RunSpec full_spec();

// A result that fits it.
RunResult full_result();

// Writes a finished run folder with made-up predictions of `samples` images a class.
void write_run(const std::string& folder, const RunSpec& spec, std::size_t samples = 5);

}  // namespace openworld

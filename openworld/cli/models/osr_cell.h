#pragma once

// Cells of the scenario open-set: runs of `openworld osr train`.

#include <optional>

#include "openworld/studies/cell_runner.h"

namespace openworld {

bool is_osr_cell(const Cell& cell);

// Throws Error for a method or option that does not exist.
void check_osr_learner(const CellLearner& learner);

// Throws Error for a network that does not exist, and for fields that only prompt tuning has.
void check_osr_cell(const Cell& cell);

// As CellRunner::run.
std::optional<CellOutput> run_osr_cell(const Cell& cell, const CellContext& context);

}  // namespace openworld

#pragma once

// Measured runs as tables for people.

#include <string>
#include <vector>

#include "openworld/report/text_document.h"
#include "openworld/runs/measured_runs.h"

namespace openworld {

// Values on average and by dataset, and differences from the reference.
TextDocument runs_document(const RunCollection& runs, const MeasuredRuns& measured);
std::string runs_text(const RunCollection& runs, const MeasuredRuns& measured);

// What each stage costs of OpenworldAUC, by label.
TextDocument stage_costs_document(const RunCollection& runs, const std::vector<StageCosts>& costs);

}  // namespace openworld

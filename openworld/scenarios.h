#pragma once

// Protocols: what is tuned on and what is tested, level by level.
//
// Link openworld::scenarios.

#include "openworld/base/error.h"
#include "openworld/scenarios/plan_json.h"
#include "openworld/scenarios/scenario.h"
#include "openworld/scenarios/scenario_data.h"
#include "openworld/scenarios/table.h"

#pragma once

// Runs of prompt tuning as files, and their comparison. tuning.h makes them.
//
// Link openworld::runs.

#include "openworld/base/error.h"
#include "openworld/runs/encode_request.h"
#include "openworld/runs/measured_runs.h"
#include "openworld/runs/run_collection.h"
#include "openworld/runs/run_folder.h"
#include "openworld/runs/run_result.h"
#include "openworld/runs/run_spec.h"
#include "openworld/runs/run_threshold.h"
#include "openworld/runs/seed_list.h"
#include "openworld/runs/threshold_file.h"
#include "openworld/runs/tuning_request.h"
#include "openworld/runs/zero_shot_request.h"

#pragma once

// Jobs on models: tune, predict, classify zero-shot, encode. A request in, files out; no header of
// libtorch.
//
// Needs libtorch to link: find_package(openworld COMPONENTS models). Link openworld::tuning.

#include "openworld/base/error.h"
#include "openworld/tuning/encode_job.h"
#include "openworld/tuning/tuned_model.h"
#include "openworld/tuning/tuning_job.h"
#include "openworld/tuning/zero_shot_job.h"

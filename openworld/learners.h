#pragma once

// Prompt learners, the trainer they share, and what a learner of one's own is made of.
//
// Needs libtorch: find_package(openworld COMPONENTS models). Link openworld::learners.

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/context_learner.h"
#include "openworld/learners/learner.h"
#include "openworld/learners/prompt_file.h"
#include "openworld/learners/table.h"
#include "openworld/learners/trainer.h"

#pragma once

// What learners take of images beyond the feature of each.

#include "openworld/learners/learner.h"
#include "openworld/runs/model_spec.h"
#include "openworld/worlds/dataset.h"

namespace openworld {

// Adds patches or pixels of `images`, as `input` says, to those whose features are there. Throws
// Error for an image that cannot be read.
void add_learner_input(const Clip& clip, const Dataset& images, const ModelSpec& spec,
                       ImageInput input, ScoredImages& scored);

}  // namespace openworld

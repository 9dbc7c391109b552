#pragma once

// The prompts of a learner, parameters and constants, in a safetensors file.

#include <string>

#include "openworld/learners/learner.h"

namespace openworld {

// Throw Error.
void save_prompts(const Learner& learner, const std::string& path);
void load_prompts(const Learner& learner, const std::string& path);

}  // namespace openworld

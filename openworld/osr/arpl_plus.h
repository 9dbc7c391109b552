#pragma once

// ARPL+ (Vaze et al., ICLR 2022): ARPL's loss, with label smoothing, in the recipe of CE+.

#include "openworld/osr/arpl.h"

namespace openworld {

struct ArplPlusOptions : ArplOptions {
  ArplPlusOptions();
};

}  // namespace openworld

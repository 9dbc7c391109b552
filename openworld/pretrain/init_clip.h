#pragma once

// A CLIP model with a random init.

#include <cstdint>

#include "openworld/vlm/clip.h"

namespace openworld {

// Random weights with the spread of openai/CLIP's initialisation: in the residual blocks
// d^-1/2 into attention, (2 d)^-1/2 into the MLP, both shrunk by (2 layers)^-1/2 on the way out.
// Convolutions of the stem are He's (2015), since nothing normalises between them; norms start as
// the identity, biases at 0, the logit scale at 1 / 0.07. The same seed gives the same bits.
Clip init_clip(const ClipConfig& config, std::uint64_t seed);

}  // namespace openworld

#pragma once

// The activations of CLIP's blocks.

#include <ATen/core/Tensor.h>

#include "openworld/checkpoint/clip_config.h"

namespace openworld {

// Elementwise, differentiable. QuickGELU is x * sigmoid(1.702 x) in one pass, where composing it
// takes three forward and six backward (on other devices than the CPU it is composed); GELU is
// torch's, with erf.
at::Tensor activate(const at::Tensor& x, Activation activation);

}  // namespace openworld

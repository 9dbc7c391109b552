#pragma once

// Networks of images: a stack of convolutions and the mean over places.

#include "openworld/osr/network.h"

namespace openworld {

// classifier32 of Neal et al. (ECCV 2018) and ARPL, with their first values, dropout of whole
// channels on the input and after the third and the sixth convolution, and bn10, which is there but
// never used.
std::unique_ptr<Network> make_vgg32(const NetworkShape& shape);

// 3-32, 32-64/2, 64-64, 64-128/2, 128-128/2; dropout of channels after the second and the fourth.
std::unique_ptr<Network> make_small_net(const NetworkShape& shape);

}  // namespace openworld

#pragma once

// Networks of features that were computed elsewhere, such as those of CLIP. The first layer
// subtracts the mean of the training features and divides by their standard deviation, by column,
// so that one learning rate fits features of any length.

#include "openworld/osr/network.h"

namespace openworld {

// The standardised features themselves.
std::unique_ptr<Network> make_linear_net(const NetworkShape& shape);

// A hidden layer of 256 with batch norm and LeakyReLU 0.2, and a linear one of 128.
std::unique_ptr<Network> make_mlp(const NetworkShape& shape);

}  // namespace openworld

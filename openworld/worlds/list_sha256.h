#pragma once

#include <string>

#include "openworld/worlds/dataset.h"

namespace openworld {

// Which images a dataset has, in order: SHA-256 of paths and labels. It does not depend on where
// the dataset lies.
std::string list_sha256(const Dataset& dataset);

}  // namespace openworld

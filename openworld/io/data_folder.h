#pragma once

// The folder of the bundled data files, such as the drawings of Doodles.

#include <string>

namespace openworld {

// The folder that the environment variable OPENWORLD_DATA names; without it ../share/openworld
// beside the folder of the running program, built and installed alike. It may not exist.
std::string data_folder();

}  // namespace openworld

#pragma once

// Where the files that come with the program lie, such as the drawings of Doodles.

#include <string>

namespace openworld {

// The folder that the environment variable OPENWORLD_DATA names; without it ../share/openworld
// beside the folder of the running program, built and installed alike. Not whether it is there.
std::string data_folder();

}  // namespace openworld

#pragma once

// The folder of the bundled data files, such as the drawings of Doodles.

#include <string>

namespace openworld {

// The folder that the environment variable OPENWORLD_DATA names; without it the one that was set,
// or
// ../share/openworld beside the folder of the running program, built and installed alike. It may
// not exist.
std::string data_folder();

// For a library in a program that is not ours, such as an interpreter. Call before other threads
// ask.
void set_data_folder(const std::string& folder);

}  // namespace openworld

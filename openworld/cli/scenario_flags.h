#pragma once

// Flags that commands with scenarios share.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace openworld {

// --looks and --targets.
void declare_other_datasets(CLI::App& app, std::vector<std::string>& looks,
                            std::vector<std::string>& targets);

}  // namespace openworld

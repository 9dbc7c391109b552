#pragma once

// What a check of `openworld doctor` found.

#include <string>
#include <vector>

namespace openworld {

struct Finding {
  std::string check;                  // the name of its row; set by examine()
  std::string what;                   // what was found, with numbers
  std::string means;                  // what it does to results
  std::string fix;                    // the command that fixes it, or what to change
  std::vector<std::string> examples;  // all places; people are shown the first few
};

}  // namespace openworld

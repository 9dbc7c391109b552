#pragma once

// What each classifier names for each sample of a predictions file, whatever the side of the
// sample.

#include <cstdint>
#include <string>
#include <vector>

namespace openworld {

// Indices into base names, then new names; -1 where the file does not say.
struct NamedClasses {
  std::vector<std::int32_t> base;      // g's: of its logits, or `predicted`
  std::vector<std::int32_t> new_side;  // h's: of its logits, if the number of base names is known
  std::vector<std::int32_t> overall;   // among all names: of both logits
};

// Throws Error as load_predictions does.
NamedClasses load_named_classes(const std::string& path);

}  // namespace openworld

#pragma once

// Numbers names in the order in which they first appear.

#include <cstddef>
#include <string>
#include <vector>

#include "openworld/base/text_map.h"

namespace openworld {

class NameIndex {
 public:
  // The place of `name` in `names`, to which it is added unless it is there. REQUIRES: the same
  // list at every call, to which nothing else adds.
  std::size_t index_of(const std::string& name, std::vector<std::string>& names) {
    const auto [at, is_new] = places_.try_emplace(name, names.size());
    if (is_new) names.push_back(name);
    return at->second;
  }

 private:
  TextMap<std::size_t> places_;
};

}  // namespace openworld

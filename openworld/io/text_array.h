#pragma once

// Text as NumPy's U items: UCS-4, all as long as the longest.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "openworld/io/npz.h"
#include "openworld/io/origin.h"

namespace openworld {

class TextArray {
 public:
  // `name` is the array's, for messages. Throws Error for text that is not UTF-8 or ends in NUL,
  // which the format cannot distinguish from its padding.
  TextArray(std::span<const std::string> texts, const char* name, const Origin& origin);

  // For make_npz. REQUIRES: this object outlives the entry; `shape` holds as many items.
  NpzEntry entry(const char* name, std::vector<std::size_t> shape) const;

 private:
  std::size_t width_ = 1;
  std::u32string items_;
};

}  // namespace openworld

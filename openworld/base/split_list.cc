#include "openworld/base/split_list.h"

#include <algorithm>

namespace openworld {

std::vector<std::string> split_list(std::string_view list, char separator) {
  std::vector<std::string> parts;
  if (list.empty()) return parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(separator, begin), list.size());
    parts.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace openworld

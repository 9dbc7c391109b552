#include "openworld/cli/one_line.h"

#include <algorithm>

namespace openworld {

std::string one_line(std::string text) {
  const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  std::replace_if(text.begin(), text.end(), is_control, ' ');
  return text;
}

}  // namespace openworld

#include "openworld/base/error.h"

namespace openworld {

void fail(std::string_view function, std::string_view message) {
  std::string text;
  text.reserve(function.size() + message.size() + 3);
  text.append("[").append(function).append("] ").append(message);
  throw Error(text);
}

}  // namespace openworld

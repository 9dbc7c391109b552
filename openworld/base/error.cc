#include "openworld/base/error.h"

namespace openworld {
namespace {

std::string text_of(std::string_view function, std::string_view message) {
  std::string text;
  text.reserve(function.size() + message.size() + 3);
  text.append("[").append(function).append("] ").append(message);
  return text;
}

}  // namespace

Error::Error(std::string_view function, std::string_view message)
    : std::runtime_error(text_of(function, message)), function_size_(function.size()) {}

void fail(std::string_view function, std::string_view message) {
  throw Error(function, message);
}

}  // namespace openworld

#include "openworld/base/error.h"

#include "openworld/base/quotes.h"

namespace openworld {
namespace {

std::string text_of(std::string_view function, std::string_view message) {
  const std::string line = printable_line(message);
  std::string text;
  text.reserve(function.size() + line.size() + 3);
  text.append("[").append(function).append("] ").append(line);
  return text;
}

}  // namespace

Error::Error(std::string_view function, std::string_view message)
    : std::runtime_error(text_of(function, message)), function_size_(function.size()) {}

void fail(std::string_view function, std::string_view message) {
  throw Error(function, message);
}

}  // namespace openworld

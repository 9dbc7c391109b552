#include "openworld/base/error.h"

#include "openworld/base/quotes.h"

namespace openworld {
namespace {

// A message names paths of at most 4 KB twice and some values, of which a file may have long ones.
constexpr std::size_t kStart = 9000, kEnd = 3000;

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Without the middle of a long text; no UTF-8 sequence is cut.
std::string shortened(std::string text) {
  if (text.size() <= kStart + kEnd) return text;
  std::size_t start = kStart, end = text.size() - kEnd;
  while (start > 0 && continues(text[start])) --start;
  while (end < text.size() && continues(text[end])) ++end;
  return text.replace(start, end - start, " ... ");
}

std::string text_of(std::string_view function, std::string_view message) {
  const std::string line = shortened(printable_line(message));
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

#include "openworld/base/quotes.h"

#include <fmt/format.h>

namespace openworld {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string result = "\"";
  for (const char c : text.substr(0, kShown)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c >= 0x20 && c < 0x7f) {
      result += c;
    } else {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  result += text.size() > kShown ? "...\"" : "\"";
  return result;
}

}  // namespace openworld

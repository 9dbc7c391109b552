#include "openworld/base/quotes.h"

#include <fmt/format.h>

namespace openworld {
namespace {

unsigned char byte_at(std::string_view text, std::size_t i) {
  return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
}

// The length of the UTF-8 sequence that starts at `i`, by its lead and the bytes that follow; 1 for
// a byte by itself.
std::size_t sequence_at(std::string_view text, std::size_t i) {
  const unsigned lead = byte_at(text, i);
  const std::size_t length = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte_at(text, i + k) & 0xc0) != 0x80) return 1;
  }
  return length;
}

std::string escaped(std::string_view text, bool one_line) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_at(text, i);
    const unsigned char first = byte_at(text, i), last = byte_at(text, i + length - 1);
    const bool c1 = last < 0xa0 && (length == 1 ? first >= 0x80 : length == 2 && first == 0xc2);
    if (first == '\n' || first == '\t') {
      result += one_line ? ' ' : text[i];
    } else if (first < 0x20 || first == 0x7f || c1) {
      result += fmt::format("\\x{:02x}", last);
    } else {
      result += text.substr(i, length);
    }
    i += length;
  }
  return result;
}

}  // namespace

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

std::string printable(std::string_view text) {
  return escaped(text, false);
}

std::string printable_line(std::string_view text) {
  return escaped(text, true);
}

}  // namespace openworld

#include "openworld/doctor/fix_command.h"

#include <fmt/format.h>

#include <algorithm>

namespace openworld {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("/._-+=:,@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  // What means something between double quotes; ! does in interactive shells.
  if (text.find_first_of("$`\"\\!") == std::string_view::npos) return fmt::format("\"{}\"", text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

std::string python_text(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\'' || c == '\\') literal += '\\';
    literal += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return literal + "'";
}

std::string report_command(std::string_view run) {
  return fmt::format("openworld report {} --data PATH --out report.html", shell_word(run));
}

}  // namespace openworld

#include "openworld/doctor/plain_name.h"

namespace openworld {

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const bool space = c == '_' || c == ' ' || (c >= '\t' && c <= '\r');
    if (space && (plain.empty() || plain.back() == ' ')) continue;
    plain += space ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (plain.ends_with(' ')) plain.pop_back();
  return plain;
}

}  // namespace openworld

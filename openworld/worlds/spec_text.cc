#include "openworld/worlds/spec_text.h"

#include <fmt/format.h>

#include <filesystem>

#include "openworld/base/nearest_name.h"

namespace openworld {

bool starts_as_world(std::string_view text, std::string_view world, std::string_view marks) {
  if (!text.starts_with(world)) return false;
  text.remove_prefix(world.size());
  return text.empty() || marks.find(text[0]) != std::string_view::npos;
}

bool take_part(std::string_view* text, char mark, std::string_view* part) {
  const std::size_t at = text->find(mark);
  if (at == std::string_view::npos) return false;
  *part = text->substr(at + 1);
  *text = text->substr(0, at);
  return true;
}

void fail_unknown(const Origin& origin, const char* what, std::string_view name,
                  const std::vector<std::string>& known) {
  origin.fail(fmt::format("no {} {}; {}", what, in_quotes(name), known_names(name, known)));
}

bool names_world(const std::string& path, bool is_spec) {
  std::error_code ignored;
  return is_spec && (path.find(':') != path.npos || !std::filesystem::exists(path, ignored));
}

}  // namespace openworld

#include "openworld/io/text_lines.h"

#include <algorithm>

#include "openworld/io/mapped_file.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

// What a short line takes with what is made of it.
constexpr std::size_t kLineBytes = 128;

}  // namespace

std::vector<std::string> read_text_lines(const Origin& origin, EmptyLines empty) {
  const Bytes bytes = map_file(origin);
  std::string_view text = without_byte_order_mark(as_text(bytes.values));
  const auto ends = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  request_memory(kLineBytes * (ends + 1), bytes.size(), "a list of lines", origin);
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() || empty == EmptyLines::kKeep) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace openworld

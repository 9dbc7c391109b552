#include "openworld/io/text_lines.h"

#include <algorithm>

#include "openworld/io/mapped_file.h"
#include "openworld/io/utf8.h"

namespace openworld {

std::vector<std::string> read_text_lines(const Origin& origin, EmptyLines empty) {
  const Bytes bytes = map_file(origin);
  std::string_view text = without_byte_order_mark(as_text(bytes.values));
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

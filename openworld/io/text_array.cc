#include "openworld/io/text_array.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/io/utf8.h"

namespace openworld {

TextArray::TextArray(std::span<const std::string> texts, const char* name, const Origin& origin) {
  std::vector<std::u32string> decoded;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto points = decode_utf8(texts[i]);
    if (!points) {
      origin.fail(fmt::format("{}[{}] is {}; expected UTF-8", name, i, in_quotes(texts[i])));
    }
    if (points->ends_with(U'\0')) {
      origin.fail(fmt::format("{}[{}] ends in NUL; expected text", name, i));
    }
    width_ = std::max(width_, points->size());
    decoded.push_back(*std::move(points));
  }
  for (std::u32string& points : decoded) {
    points.resize(width_);
    items_ += points;
  }
}

NpzEntry TextArray::entry(const char* name, std::vector<std::size_t> shape) const {
  return {name, Dtype{Dtype::Kind::kUnicode, 4 * width_}, std::move(shape),
          std::as_bytes(std::span<const char32_t>(items_))};
}

}  // namespace openworld

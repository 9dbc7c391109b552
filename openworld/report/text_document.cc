#include "openworld/report/text_document.h"

#include <iterator>

namespace openworld {

void TextDocument::append(TextDocument other) {
  std::move(other.blocks_.begin(), other.blocks_.end(), std::back_inserter(blocks_));
}

std::string TextDocument::text() const {
  std::string text;
  for (const Block& block : blocks_) {
    const auto* words = std::get_if<std::string>(&block);
    text += words != nullptr ? *words : std::get<TextTable>(block).text();
  }
  return text;
}

}  // namespace openworld

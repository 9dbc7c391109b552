#pragma once

// Tables with words between them, to be written in any format.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "openworld/report/table_format.h"

namespace openworld {

class TextDocument {
 public:
  using Block = std::variant<std::string, TextTable>;

  // Words: whole lines, with their line breaks.
  void say(std::string lines) { blocks_.emplace_back(std::move(lines)); }
  void add(TextTable table) { blocks_.emplace_back(std::move(table)); }
  void append(TextDocument other);

  const std::vector<Block>& blocks() const { return blocks_; }

  std::string text() const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace openworld

#pragma once

// An aligned table for people: the first column to the left, numbers to the right.

#include <string>
#include <vector>

namespace openworld {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  // REQUIRES: as many cells as the header.
  void add(std::vector<std::string> cells);

  // Lines end with a line break; columns are two spaces apart. Widths count UTF-8 characters.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

// 0.6213 as "62.13"; counts as they are.
std::string percent(double value, int decimals = 2);

// A p-value with four decimals.
std::string p_text(double p);

}  // namespace openworld

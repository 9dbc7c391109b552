#pragma once

// Byte-pair encoding of one word.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "openworld/text/vocabulary.h"

namespace openworld {

// The merges of a vocabulary, to be found by their pair: open addressing, at most half full.
class MergeTable {
 public:
  explicit MergeTable(const std::vector<Merge>& merges);

  struct Entry {
    std::uint64_t pair = kNoPair;
    std::int32_t rank = 0;
    std::int32_t result = 0;
  };
  // The entry of two adjacent tokens, or nullptr if they do not merge.
  const Entry* find(std::int32_t left, std::int32_t right) const;

 private:
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};  // ids are never negative

  std::size_t slot_of(std::uint64_t pair) const;

  std::vector<Entry> slots_;
  int shift_ = 0;
};

// Merges `tokens` in place until no pair of neighbours is in the table: again and again the pair
// of lowest rank, all of its occurrences that do not overlap, from left to right, before the next
// rank is looked for. O(n log n) for n tokens, so a word of a megabyte is harmless.
void merge_pairs(const MergeTable& table, std::vector<std::int32_t>* tokens);

}  // namespace openworld

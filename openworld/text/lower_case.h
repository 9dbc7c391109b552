#pragma once

// Unicode lower case, as Python's str.lower: one code point to one, with two exceptions of the
// Unicode standard (SpecialCasing.txt): İ becomes i and a combining dot, and a capital sigma at
// the end of a word becomes the final ς.

#include <span>
#include <string>
#include <string_view>

namespace openworld {

std::u32string lower_case(std::u32string_view text);

// first, first + step, ..., last each have the lower case that lies `delta` further.
struct LowerRange {
  char32_t first, last, step;
  int delta;
};
struct CodeRange {
  char32_t first, last;
};

// Sorted; see lower_case_table.cc. Cased leaves out what is case-ignorable.
extern const std::span<const LowerRange> kLowerRanges;
extern const std::span<const CodeRange> kCasedRanges;
extern const std::span<const CodeRange> kCaseIgnorableRanges;

}  // namespace openworld

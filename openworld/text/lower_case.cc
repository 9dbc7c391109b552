#include "openworld/text/lower_case.h"

#include <algorithm>

namespace openworld {
namespace {

constexpr char32_t kCapitalSigma = 0x3a3, kSmallSigma = 0x3c3, kFinalSigma = 0x3c2;
constexpr char32_t kCapitalIWithDot = 0x130, kCombiningDot = 0x307;

// The range that may hold c: the first that does not end before it, or nullptr.
template <class Range>
const Range* find_range(std::span<const Range> ranges, char32_t c) {
  const auto found = std::lower_bound(ranges.begin(), ranges.end(), c,
                                      [](const Range& r, char32_t x) { return r.last < x; });
  return found != ranges.end() && found->first <= c ? &*found : nullptr;
}

bool is_cased(char32_t c) {
  return find_range(kCasedRanges, c) != nullptr;
}

bool is_case_ignorable(char32_t c) {
  return find_range(kCaseIgnorableRanges, c) != nullptr;
}

char32_t lower(char32_t c) {
  if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
  const LowerRange* range = find_range(kLowerRanges, c);
  return range != nullptr && (c - range->first) % range->step == 0 ? c + range->delta : c;
}

// Whether the sigma at i ends a word: a cased letter before it and none after, looking past what
// is case-ignorable. A sigma is cased itself, so that all calls together are linear.
bool ends_word(std::u32string_view text, std::size_t i) {
  std::size_t before = i;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = i + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

std::u32string lower_case(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kCapitalSigma) {
      out += ends_word(text, i) ? kFinalSigma : kSmallSigma;
    } else if (text[i] == kCapitalIWithDot) {
      out += {U'i', kCombiningDot};
    } else {
      out += lower(text[i]);
    }
  }
  return out;
}

}  // namespace openworld

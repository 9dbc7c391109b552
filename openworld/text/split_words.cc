#define PCRE2_CODE_UNIT_WIDTH 8
#include "openworld/text/split_words.h"

#include <fmt/format.h>
#include <pcre2.h>

#include <cassert>
#include <new>

#include "openworld/base/error.h"

namespace openworld {
namespace {

// Runs are possessive (++): nothing follows them, so giving characters back could never help. White
// space is spelled out because PCRE2's \s still holds U+180E, which has not been white space since
// Unicode 6.3. U+0345, a combining iota, is in no alternative: the reference's regex module drops
// it, as it is not a letter but the other case of one.
constexpr std::string_view kPattern =
    R"(<\|startoftext\|>|<\|endoftext\|>|'s|'t|'re|'ve|'m|'ll|'d|\p{L}++|\p{N}|)"
    R"([^\p{L}\p{N}\x{345}\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f})"
    R"(\x{205f}\x{3000}]++)";

// Far above what a pattern without backtracking needs; a safety net.
constexpr std::uint32_t kMatchLimit = 100'000;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};

using Code = std::unique_ptr<pcre2_code, Deleter<pcre2_code_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Deleter<pcre2_match_context_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Deleter<pcre2_match_data_free>>;

PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

}  // namespace

struct WordSplitter::Pattern {
  Code code;
  MatchContext context;
};

WordSplitter::WordSplitter() {
  int error = 0;
  PCRE2_SIZE offset = 0;
  Code code(pcre2_compile(units(kPattern), kPattern.size(), PCRE2_UTF | PCRE2_UCP | PCRE2_CASELESS,
                          &error, &offset, nullptr));
  assert(code != nullptr);
  // Where the machine allows no JIT, matching falls back to the interpreter by itself.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  MatchContext context(pcre2_match_context_create(nullptr));
  if (code == nullptr || context == nullptr) throw std::bad_alloc();
  pcre2_set_match_limit(context.get(), kMatchLimit);
  pattern_.reset(new Pattern{std::move(code), std::move(context)});
}

WordSplitter::~WordSplitter() = default;

std::vector<std::string_view> WordSplitter::split(std::string_view text) const {
  const MatchData data(pcre2_match_data_create(1, nullptr));
  if (data == nullptr) throw std::bad_alloc();
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(data.get());
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; at < text.size(); at = span[1]) {
    const int found = pcre2_match(pattern_->code.get(), units(text), text.size(), at,
                                  PCRE2_NO_UTF_CHECK, data.get(), pattern_->context.get());
    if (found == PCRE2_ERROR_NOMATCH) break;
    if (found < 0) fail("split_words", fmt::format("PCRE2 gave up with error {}", found));
    pieces.push_back(text.substr(span[0], span[1] - span[0]));
  }
  return pieces;
}

}  // namespace openworld

#include "openworld/text/clean_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "openworld/io/utf8.h"
#include "openworld/text/html_entities.h"
#include "openworld/text/lower_case.h"

namespace openworld {
namespace {

bool is_white_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0d) || c == 0x20 || c == 0x85 || c == 0xa0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f ||
         c == 0x3000;
}

// What str.strip takes beside white space.
bool is_stripped(char32_t c) {
  return is_white_space(c) || (c >= 0x1c && c <= 0x1f);
}

// The reference strips once more after the collapse; both ends are then what the first strip left.
template <class Char>
std::basic_string<Char> tidy_spaces(std::basic_string_view<Char> text) {
  std::size_t begin = 0, end = text.size();
  while (begin < end && is_stripped(text[begin])) ++begin;
  while (end > begin && is_stripped(text[end - 1])) --end;
  std::basic_string<Char> out;
  out.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    const auto c = text[i];
    if (!is_white_space(c)) {
      out += c;
    } else if (!is_white_space(text[i - 1])) {
      out += ' ';
    }
  }
  return out;
}

// The common case, without the detour over code points, which takes three times as long.
std::string clean_ascii(std::string_view text) {
  std::string out = tidy_spaces<char>(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c += 0x20;
  }
  return out;
}

}  // namespace

std::string clean_text(std::string_view text, const Origin& origin) {
  const auto special = [](char c) { return static_cast<signed char>(c) < 0 || c == '&'; };
  if (std::none_of(text.begin(), text.end(), special)) return clean_ascii(text);

  const auto points = decode_utf8(text);
  if (!points) origin.fail(fmt::format("text {} is not valid UTF-8", in_quotes(text)));
  const std::u32string unescaped = unescape_html(unescape_html(*points));
  return *encode_utf8(lower_case(tidy_spaces<char32_t>(unescaped)));
}

}  // namespace openworld

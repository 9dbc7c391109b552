#include "openworld/text/html_entities.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <unordered_map>

namespace openworld {
namespace {

using EntityMap = std::unordered_map<std::string, std::u32string>;

EntityMap parse_table(std::string_view table) {
  EntityMap map;
  map.reserve(2500);
  while (!table.empty()) {
    const std::size_t mark = table.find_first_of("=~"), end = table.find(',');
    std::string name(table.substr(0, mark));
    std::u32string value;
    for (const char* at = table.data() + mark; *at != ',';) {
      std::uint32_t point = 0;
      at = std::from_chars(at + 1, table.data() + end, point, 16).ptr;
      value += static_cast<char32_t>(point);
    }
    if (table[mark] == '~') map.emplace(name, value);
    map.emplace(name + ';', std::move(value));
    table.remove_prefix(end + 1);
  }
  return map;
}

const EntityMap& entities() {
  static const EntityMap map = parse_table(kHtmlEntities);
  return map;
}

// What 0x80 to 0x9f mean by mistake: windows-1252. Unassigned ones stay.
constexpr char32_t kWindows1252[] = {
    0x20ac, 0x81,   0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8d,   0x017d, 0x8f,   0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,   0x017e, 0x0178};

bool is_invalid(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f ||
         (c >= 0xfdd0 && c <= 0xfdef) || (c & 0xfffe) == 0xfffe;
}

void append_number(char32_t number, std::u32string* out) {
  constexpr char32_t kReplacement = 0xfffd;
  if (number >= 0x80 && number <= 0x9f) {
    *out += kWindows1252[number - 0x80];
  } else if (number == 0 || (number >= 0xd800 && number <= 0xdfff) || number > 0x10ffff) {
    *out += kReplacement;
  } else if (!is_invalid(number)) {
    *out += number;
  }
}

int digit_value(char32_t c, int base) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (base == 16 && c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (base == 16 && c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

// Resolves the number after "&#"; returns how much of `text` it took, 0 if there is none.
std::size_t take_number(std::u32string_view text, std::u32string* out) {
  const bool hex = !text.empty() && (text[0] == 'x' || text[0] == 'X');
  const int base = hex ? 16 : 10;
  const std::size_t begin = hex ? 1 : 0;
  std::size_t at = begin;
  char32_t number = 0;
  for (int digit; at < text.size() && (digit = digit_value(text[at], base)) >= 0; ++at) {
    if (number <= 0x10ffff) number = number * base + digit;
  }
  if (at == begin) return 0;
  append_number(number, out);
  return at < text.size() && text[at] == ';' ? at + 1 : at;
}

// Resolves the name after "&" or copies it; returns how much of `text` it took, 0 if there is none.
std::size_t take_name(std::u32string_view text, std::u32string* out) {
  constexpr std::size_t kLongest = 32;
  constexpr std::u32string_view kEnd = U"\t\n\f <&#;";
  std::size_t size = text.substr(0, kLongest).find_first_of(kEnd);
  if (size == std::u32string_view::npos) size = std::min(text.size(), kLongest);
  if (size == 0) return 0;
  if (size < text.size() && text[size] == ';') ++size;

  std::string ascii;
  while (ascii.size() < size && text[ascii.size()] < 0x80) {
    ascii += static_cast<char>(text[ascii.size()]);
  }
  // Two characters are the shortest name; one character alone may only be one as a whole.
  for (std::size_t known = ascii.size(); known > 1 || known == size; --known) {
    const auto found = entities().find(ascii.substr(0, known));
    if (found != entities().end()) {
      out->append(found->second).append(text.substr(known, size - known));
      return size;
    }
  }
  (*out += U'&').append(text.substr(0, size));
  return size;
}

}  // namespace

std::u32string unescape_html(std::u32string_view text) {
  std::u32string out;
  out.reserve(text.size());
  for (;;) {
    const std::size_t amp = text.find(U'&');
    out.append(text.substr(0, amp));
    if (amp == std::u32string_view::npos) return out;
    text.remove_prefix(amp + 1);
    const bool numeric = !text.empty() && text[0] == '#';
    const std::size_t taken = numeric ? take_number(text.substr(1), &out) : take_name(text, &out);
    if (taken == 0) out += U'&';
    text.remove_prefix(taken == 0 ? 0 : taken + numeric);
  }
}

}  // namespace openworld

#include "openworld/io/utf8.h"

namespace openworld {
namespace {

bool is_scalar(char32_t c) {
  return c < 0xd800 || (c >= 0xe000 && c <= 0x10ffff);
}

struct Sequence {
  std::size_t size;  // bytes that belong together, 1 or more
  bool valid;
};

// The sequence at the start of `text`, or the longest start of one (Unicode, table 3-7).
Sequence first_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {1, true};
  if (lead < 0xc2 || lead > 0xf4) return {1, false};
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  // The second byte is where overlong forms, surrogates and what is past U+10FFFF show.
  unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  std::size_t size = 1;
  for (; size < length && size < text.size(); ++size) {
    if (byte(size) < low || byte(size) > high) break;
    low = 0x80;
    high = 0xbf;
  }
  return {size, size == length};
}

}  // namespace

std::optional<std::u32string> decode_utf8(std::string_view text) {
  std::u32string points;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    if (length == 0 || lead >= 0xf8 || text.size() - i < static_cast<std::size_t>(length)) {
      return std::nullopt;
    }
    char32_t point = length == 1 ? lead : lead & (0x7f >> length);
    for (int k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0) != 0x80) return std::nullopt;
      point = point << 6 | (next & 0x3f);
    }
    constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (point < kSmallest[length] || !is_scalar(point)) return std::nullopt;
    points += point;
    i += length;
  }
  return points;
}

std::optional<std::string> encode_utf8(std::u32string_view points) {
  std::string text;
  text.reserve(points.size());
  for (const char32_t c : points) {
    if (!is_scalar(c)) return std::nullopt;
    if (c < 0x80) {
      text += static_cast<char>(c);
      continue;
    }
    const int length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    constexpr int kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    text += static_cast<char>(kLead[length] | c >> (6 * (length - 1)));
    for (int k = length - 2; k >= 0; --k) text += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
  }
  return text;
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::string replace_invalid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Sequence sequence = first_sequence(text);
    out += sequence.valid ? text.substr(0, sequence.size) : "\xef\xbf\xbd";
    text.remove_prefix(sequence.size);
  }
  return out;
}

}  // namespace openworld

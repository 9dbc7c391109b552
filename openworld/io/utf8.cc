#include "openworld/io/utf8.h"

namespace openworld {
namespace {

bool is_scalar(char32_t c) {
  return c < 0xd800 || (c >= 0xe000 && c <= 0x10ffff);
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

}  // namespace openworld

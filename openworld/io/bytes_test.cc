// CRC-32 and UTF-8.

#include <zlib.h>

#include "openworld/base/random.h"
#include "openworld/io/crc32.h"
#include "openworld/io/test_util.h"
#include "openworld/io/utf8.h"

namespace openworld {
namespace {

TEST(Crc32, CheckValueOfTheStandard) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(text))), 0xcbf43926u);
}

TEST(Crc32, AgreesWithZlibAtEveryLengthAndAlignment) {
  Random random(1);
  std::vector<std::byte> bytes(1000);
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.below(256));
  const std::span<const std::byte> all(bytes);
  for (const std::size_t offset : {0, 1, 7, 16}) {
    for (std::size_t size = 0; offset + size <= all.size(); ++size) {
      const auto part = all.subspan(offset, size);
      ASSERT_EQ(crc32(part), ::crc32_z(0, reinterpret_cast<const Bytef*>(part.data()), part.size()))
          << offset << " " << size;
    }
  }
}

TEST(Utf8, EveryScalarGoesThereAndBack) {
  for (char32_t c = 0; c <= 0x110000; ++c) {
    const auto text = encode_utf8(std::u32string_view(&c, 1));
    const bool scalar = c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
    ASSERT_EQ(text.has_value(), scalar) << std::hex << static_cast<std::uint32_t>(c);
    if (text) {
      ASSERT_EQ(decode_utf8(*text), std::u32string(1, c));
    }
  }
}

TEST(Utf8, RefusesWhatIsNotUtf8) {
  for (const char* text : {"\x80", "\xc3", "\xc3(", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                           "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "a\xff"}) {
    EXPECT_FALSE(decode_utf8(text)) << in_quotes(text);
  }
  EXPECT_EQ(decode_utf8("é日🦊"), U"é日🦊");
}

// What Python's bytes.decode("utf-8", errors="replace") gives; R stands for U+FFFD.
TEST(Utf8, ReplacesWhatIsNotUtf8) {
  const std::pair<const char*, std::string> cases[] = {
      {"é日🦊", "é日🦊"},
      {"a\x80z", "aRz"},
      {"\xc3(", "R("},
      {"\xc0\xaf", "RR"},
      {"\xe0\x80\xaf", "RRR"},
      {"\xed\xa0\x80", "RRR"},
      {"\xf0\x9f\xa6", "R"},
      {"\xf0\x9f\xa6x", "Rx"},
      {"\xf4\x90\x80\x80", "RRRR"},
      {"\xe6\x97\xe6\x97\xa5", "R日"},
      {"\xff", "R"},
  };
  for (auto [text, expected] : cases) {
    for (std::size_t at; (at = expected.find('R')) != std::string::npos;) {
      expected.replace(at, 1, "\ufffd");
    }
    EXPECT_EQ(replace_invalid_utf8(text), expected) << in_quotes(text);
  }
}

}  // namespace
}  // namespace openworld

#include "openworld/report/data_uri.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The vectors of RFC 4648, section 10, and every kind of byte.
TEST(Base64, Rfc4648) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"},
                                                                 {"\xfb\xff\xfe", "+//+"}};
  for (const auto& [text, expected] : cases) EXPECT_EQ(base64(bytes_of(text)), expected);
}

TEST(ImageMime, KnowsImagesByTheirFirstBytes) {
  EXPECT_EQ(image_mime(bytes_of("\x89PNG\r\n\x1a\nrest")), "image/png");
  EXPECT_EQ(image_mime(bytes_of("\xff\xd8\xff\xe0")), "image/jpeg");
  EXPECT_EQ(image_mime(bytes_of("RIFF....WEBPVP8 ")), "image/webp");
  EXPECT_EQ(image_mime(bytes_of("RIFF....WAVEfmt ")), "");
  EXPECT_EQ(image_mime(bytes_of("GIF89a")), "image/gif");
  EXPECT_EQ(image_mime(bytes_of("BM....")), "image/bmp");
  EXPECT_EQ(image_mime(bytes_of("<svg>")), "");
  EXPECT_EQ(image_mime(bytes_of("")), "");
  EXPECT_EQ(image_uri(bytes_of("\xff\xd8\xff")), "data:image/jpeg;base64,/9j/");
}

}  // namespace
}  // namespace openworld

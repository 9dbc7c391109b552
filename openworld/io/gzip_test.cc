#include "openworld/io/gzip.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

std::string gzip_of(const std::string& text) {
  return testing::deflate_raw(text, MAX_WBITS + 16);
}

std::string unpacked(const std::string& bytes, std::size_t limit = 1 << 20) {
  const Bytes result = gunzip(std::as_bytes(std::span(bytes)), limit, {"f", "a.gz"});
  return std::string(as_text(result.values));
}

TEST(Gunzip, GivesTheTextOfEveryMember) {
  EXPECT_EQ(unpacked(gzip_of("")), "");
  EXPECT_EQ(unpacked(gzip_of("one ") + gzip_of("") + gzip_of("two")), "one two");
  EXPECT_EQ(unpacked(gzip_of("x") + std::string(512, '\0')), "x");
  const std::string text(100'000, 'a');  // 1000 times as long as its gzip form
  EXPECT_EQ(unpacked(gzip_of(text)), text);
}

TEST(Gunzip, StopsAtTheLimit) {
  const std::string text(5000, 'a');
  EXPECT_EQ(unpacked(gzip_of(text), 5000), text);
  EXPECT_ERROR(unpacked(gzip_of(text), 4999), "[f] a.gz: inflates to more than 4999 bytes");
  EXPECT_ERROR(unpacked(gzip_of(text) + gzip_of("b"), 5000), "more than 5000 bytes");
  EXPECT_ERROR(unpacked(gzip_of("a"), 0), "more than 0 bytes");
  EXPECT_EQ(unpacked(gzip_of(""), 0), "");
}

TEST(Gunzip, RefusesDamage) {
  const std::string whole = gzip_of("some text, and some more text");
  EXPECT_ERROR(unpacked("some"), "is not in gzip format: it starts with \"so\"");
  EXPECT_ERROR(unpacked(""), "is not in gzip format");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_ERROR(unpacked(whole.substr(0, size)), "truncated gzip stream");
  }
  EXPECT_ERROR(unpacked(whole + "x"), "has 1 bytes after its gzip data");
  std::string wrong = whole;
  wrong[wrong.size() - 5] ^= 1;  // in the CRC
  EXPECT_ERROR(unpacked(wrong), "damaged");
}

TEST(MapOrGunzip, TakesBothForms) {
  const TempFolder folder;
  for (const auto& [name, bytes] :
       {std::pair{"a.txt", std::string("text")}, std::pair{"a.gz", gzip_of("text")}}) {
    const Bytes result = map_or_gunzip({"f", folder.write(name, bytes)}, 100);
    EXPECT_EQ(as_text(result.values), "text") << name;
  }
}

}  // namespace
}  // namespace openworld

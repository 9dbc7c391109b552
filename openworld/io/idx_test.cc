#include "openworld/io/idx.h"

#include "openworld/io/memory_limit.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::deflate_raw;
using testing::TempFolder;

const Origin kOrigin{"test", "a.idx"};

std::string header(std::vector<std::uint32_t> sizes, char type = 8) {
  std::string text = {0, 0, type, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift);
  }
  return text;
}

IdxArray parse(const std::string& text, std::size_t dimensions) {
  return parse_idx(make_bytes(text), dimensions, kOrigin);
}

TEST(Idx, ReadsArrays) {
  const IdxArray array = parse(header({2, 1, 3}) + "abcdef", 3);
  EXPECT_EQ(array.shape, (std::vector<std::size_t>{2, 1, 3}));
  EXPECT_EQ(as_text(array.values.values), "abcdef");
  EXPECT_EQ(parse(header({0}), 1).values.size(), 0u);
  EXPECT_EQ(parse(header({0, 0xffffffff, 0xffffffff}), 3).values.size(), 0u);
  EXPECT_EQ(parse(header({0xffffffff, 0xffffffff, 0}), 3).values.size(), 0u);
}

TEST(Idx, ReadsPlainAndGzipFiles) {
  const TempFolder folder;
  constexpr int kGzip = 16 + MAX_WBITS;
  const std::string text = header({2}) + "ab";
  folder.write("plain", text);
  folder.write("packed", deflate_raw(text, kGzip));
  for (const char* name : {"plain", "packed"}) {
    EXPECT_EQ(as_text(read_idx({"test", folder / name}, 1).values.values), "ab");
  }
  // 200 KB that inflate to 200 MB.
  const std::string bomb(std::size_t{200} << 20, 'x');
  folder.write("bomb", deflate_raw(bomb, kGzip));
  EXPECT_ERROR(read_idx({"test", folder / "bomb"}, 1), "inflates to more than");
  set_memory_limit(9);
  EXPECT_ERROR(read_idx({"test", folder / "packed"}, 1), "inflates to more than 9 bytes");
  set_memory_limit(std::nullopt);
}

TEST(Idx, RefusesOtherFiles) {
  EXPECT_ERROR(parse("", 1), "[test] a.idx: has 0 bytes; expected an idx file, whose header has 8");
  EXPECT_ERROR(parse("PK\3\4....", 1), "is not an idx file: it starts with \"PK\"");
  EXPECT_ERROR(parse(header({1}, 13) + "abcd", 1), "values of type 13; expected 8, unsigned bytes");
  EXPECT_ERROR(parse(header({1, 1}) + "a", 1), "an idx array of 2 dimensions; expected 1");
  EXPECT_ERROR(parse(header({1, 1}).substr(0, 9), 2),
               "cut off after 9 bytes of an idx header of 12");
  EXPECT_ERROR(parse(header({2, 3}) + "abcde", 2),
               "has 5 bytes of values; expected as many as idx sizes 2 x 3 have");
  EXPECT_ERROR(parse(header({2, 3}) + "abcdefg", 2), "has 7 bytes of values");
  EXPECT_ERROR(parse(header({0xffffffff, 0xffffffff, 0xffffffff}) + "a", 3),
               "idx sizes 4294967295 x 4294967295 x 4294967295 have");
  // The product is 2^64, which would be 0.
  EXPECT_ERROR(parse(header({1u << 31, 1u << 31, 4}), 3), "has 0 bytes of values");
}

}  // namespace
}  // namespace openworld

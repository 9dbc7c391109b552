#include "openworld/io/memory_limit.h"

#include <gtest/gtest.h>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
const Origin kOrigin{"f", "x.npz"};

struct Restore {
  ~Restore() { set_memory_limit(std::nullopt); }
};

TEST(RequestMemory, AllowsWhatFitsTheSizeOfTheFile) {
  EXPECT_NO_THROW(request_memory(kFreeMemory, 0, "it", kOrigin));
  EXPECT_NO_THROW(request_memory(kFreeMemory + kMemoryRatio * kMiB, kMiB, "it", kOrigin));
  EXPECT_ERROR(request_memory(kFreeMemory + kMemoryRatio * kMiB + 1, kMiB, "it", kOrigin),
               "[f] x.npz: it needs 80 MiB of memory; expected at most 80 MiB for a file of "
               "1.0 MiB, unless a larger memory limit is set");
  EXPECT_ERROR(request_memory(std::uint64_t{3} << 30, 6 * kMiB, "tensor \"a\"", kOrigin),
               "tensor \"a\" needs 3.0 GiB of memory; expected at most 160 MiB");
  // Not more than the file itself, however large.
  EXPECT_NO_THROW(request_memory(kMiB << 30, kMiB << 30, "it", kOrigin));
  EXPECT_ERROR(request_memory(~std::uint64_t{0}, kMiB << 30, "it", kOrigin), "needs 16 EiB");
}

TEST(RequestMemory, OrALimitThatWasSet) {
  const Restore restore;
  set_memory_limit(std::uint64_t{4} << 30);
  EXPECT_NO_THROW(request_memory(std::uint64_t{4} << 30, 1, "it", kOrigin));
  EXPECT_ERROR(request_memory((std::uint64_t{4} << 30) + 1, 1, "it", kOrigin),
               "expected at most 4.0 GiB, the limit that was set");
  EXPECT_EQ(pixel_limit(), (std::int64_t{4} << 30) / 11);
  set_memory_limit(std::nullopt);
  EXPECT_EQ(pixel_limit(), std::int64_t{1} << 26);
}

TEST(ByteCount, IsReadAndWritten) {
  EXPECT_EQ(parse_byte_count("1"), 1u);
  EXPECT_EQ(parse_byte_count("512M"), 512 * kMiB);
  EXPECT_EQ(parse_byte_count("1.5GiB"), 1536 * kMiB);
  EXPECT_EQ(parse_byte_count("2KB"), 2048u);
  for (const char* wrong :
       {"", "M", "-1M", "0", "1X", "1Mi", "1MB ", "nan", "inf", "1e30", "9999999T"}) {
    EXPECT_FALSE(parse_byte_count(wrong)) << wrong;
  }
  EXPECT_EQ(byte_count_text(1023), "1023 bytes");
  EXPECT_EQ(byte_count_text(1024), "1.0 KiB");
  EXPECT_EQ(byte_count_text(10 * kMiB), "10 MiB");
  EXPECT_EQ(byte_count_text(1024 * kMiB - 1), "1.0 GiB");
}

}  // namespace
}  // namespace openworld

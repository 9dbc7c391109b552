#include "openworld/io/npz.h"

#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::deflated;
using testing::Member;
using testing::npy;
using testing::stored;
using testing::zip_of;

const Origin kOrigin{"load", "a.npz"};

ZipArchive open(const std::string& bytes) {
  return ZipArchive(make_bytes(bytes), kOrigin);
}

// Opens the archive and reads the array x.
std::string read_x(const std::string& bytes) {
  const auto array = read_npz_array(open(bytes), "x");
  return array ? std::string(as_text(array->data.values)) : "absent";
}

const std::string kArray = npy("|u1", "(4,)", "abcd");

TEST(Npz, ReadsStoredAndDeflatedMembers) {
  EXPECT_EQ(read_x(zip_of({stored("x.npy", kArray)})), "abcd");
  EXPECT_EQ(read_x(zip_of({stored("w.npy", "junk"), deflated("x.npy", kArray)})), "abcd");
  EXPECT_EQ(read_x(zip_of({stored("y.npy", kArray)})), "absent");
  EXPECT_EQ(read_x(zip_of({})), "absent");
}

TEST(Npz, InflatesArraysLongerThanThePeek) {
  const std::string data(100000, 'z');
  EXPECT_EQ(read_x(zip_of({deflated("x.npy", npy("|u1", "(100000,)", data))})), data);
}

TEST(Npz, StoredMembersStayInPlace) {
  const Bytes bytes = make_bytes(zip_of({stored("x.npy", kArray)}));
  const auto array = read_npz_array(ZipArchive(bytes, kOrigin), "x");
  const auto* data = array->data.values.data();
  EXPECT_TRUE(data > bytes.values.data() && data < bytes.values.data() + bytes.size());
}

TEST(Npz, ReadsMembersWhoseSizesFollow) {
  const Origin origin{"load", testing::testdata("streamed.npz")};
  const ZipArchive archive(map_file(origin), origin);
  EXPECT_EQ(archive.find("side.npy")->flags & 8, 8);
  EXPECT_EQ(read_npz_array(archive, "score")->header.count, 2u);
}

class Writer : public ::testing::TestWithParam<Zip64> {};

TEST_P(Writer, ReadsBackAlignedAndTheSame) {
  const std::string letters = "abcdefgh";
  const auto data = std::as_bytes(std::span(letters));
  std::vector<NpzEntry> entries;
  for (std::size_t i = 0; i < 70; ++i) {
    entries.push_back(
        {std::string(i + 1, 'n'), {Dtype::Kind::kUint, 1}, {i % 9}, data.first(i % 9)});
  }
  const std::string bytes = make_npz(entries, GetParam());
  EXPECT_EQ(bytes, make_npz(entries, GetParam()));
  const Bytes whole = make_bytes(bytes);
  const ZipArchive archive(whole, kOrigin);
  EXPECT_EQ(archive.members().size(), entries.size());
  for (const NpzEntry& entry : entries) {
    const auto array = read_npz_array(archive, entry.name);
    ASSERT_TRUE(array);
    EXPECT_EQ(array->header.shape, entry.shape);
    EXPECT_EQ(as_text(array->data.values), as_text(entry.data));
    EXPECT_EQ((array->data.values.data() - whole.values.data()) % 64, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Zip64, Writer, ::testing::Values(Zip64::kWhenNeeded, Zip64::kAlways));

Member changed(Member member, const std::function<void(Member&)>& change) {
  change(member);
  return member;
}

std::string patched(std::string bytes, std::size_t offset, const std::string& patch) {
  return bytes.replace(offset, patch.size(), patch);
}

TEST(Npz, RefusesHostileArchives) {
  const Member plain = stored("x.npy", kArray), packed = deflated("x.npy", kArray);
  const std::string good = zip_of({plain});
  const std::size_t end = good.size() - 22;
  struct Bad {
    std::string bytes;
    std::string message;
  };
  const std::vector<Bad> table = {
      {"", "no end record"},
      {"PK", "no end record"},
      {std::string(100, 'x'), "no end record"},
      {good + "x", "no end record"},
      {"x" + good, "is said to be at offset 107; expected it to end at 159"},
      {patched(good, end + 4, "\x01"), "spans several disks"},
      {patched(good, end + 8, "\x02"), "spans several disks"},
      {patched(good, end + 8, std::string("\x00\x00\x00\x00", 4)), "more than the 0 entries"},
      {patched(good, end + 8, std::string("\x02\x00\x02\x00", 4)), "2 entries in 51 bytes"},
      {patched(good, end + 12, "\xff\xff"), "zip directory of 65535 bytes"},
      {patched(good, end + 16, "\xff\xff\xff\xff"), "zip64 end record locator is missing"},
      {zip_of({changed(plain, [](Member& m) { m.disk = 1; })}), "spans several disks"},
      {zip_of({changed(plain, [](Member& m) { m.moved = 1; })}), "\"x.npy\" has no local header"},
      {zip_of({changed(plain, [](Member& m) { m.moved = 80; })}),
       "\"x.npy\" has its header at offset 80, past the data"},
      {zip_of({changed(plain, [](Member& m) { m.size = m.compressed_size = 9999; })}),
       "\"x.npy\" has 9999 bytes at offset 35; expected them to end by"},
      {zip_of({changed(plain, [](Member& m) { m.size += 1; })}), "is stored in 72 bytes"},
      {zip_of({changed(plain, [](Member& m) { m.crc ^= 1; })}), "the file is damaged"},
      {zip_of({changed(plain, [](Member& m) { m.flags = 1; })}), "\"x.npy\" is encrypted"},
      {zip_of({changed(plain, [](Member& m) { m.method = 12; })}), "compression method 12"},
      {zip_of({changed(plain, [](Member& m) { m.size = 0xffffffff; })}),
       "zip64 extra field is missing"},
      {zip_of({plain, plain}), "\"x.npy\" appears twice"},
      {zip_of({changed(packed, [](Member& m) { m.size = 1032 * m.compressed_size + 1; })}),
       "deflate gives at most 1032 times as many"},
      {zip_of({changed(packed, [](Member& m) { m.size += 1; })}), "inflates to 72 bytes"},
      {zip_of({changed(packed, [](Member& m) { m.size -= 1; })}), "has data after 71 bytes"},
      {zip_of({changed(packed, [](Member& m) { m.data[0] = '\x07'; })}), "corrupt deflate stream"},
      {zip_of({changed(packed,
                       [](Member& m) {
                         m.data.pop_back();
                         m.compressed_size -= 1;
                       })}),
       "zip member \"x.npy\""},
      {zip_of({changed(packed,
                       [](Member& m) {
                         m.data += "junk";
                         m.compressed_size += 4;
                       })}),
       "has data after 72 bytes"},
      {zip_of({stored("x.npy", npy("|u1", "(5,)", "abcd"))}),
       "x is 72 bytes in the archive; expected 73 for dtype |u1 and shape (5,)"},
      {zip_of({stored("x.npy", "not npy")}), "x is not in npy format"},
      {patched(good, 30, "y"), "another name or method"},
      {patched(good, 14, "\x01\x02"), "another size or CRC"},
  };
  for (const Bad& bad : table) EXPECT_ERROR(read_x(bad.bytes), bad.message);
  EXPECT_ERROR(read_x(""), "[load] a.npz: the zip archive has no end record");
}

// Deflate can reach the ratio, but the npy header inside needs fewer bytes.
TEST(Npz, RefusesABombBeforeItIsInflated) {
  Member bomb = deflated("x.npy", npy("|u1", "(10000,)", std::string(10000, 'a')));
  bomb.data += std::string(1 << 20, '\0');
  bomb.compressed_size = static_cast<std::uint32_t>(bomb.data.size());
  bomb.size = 1000u << 20;
  EXPECT_ERROR(read_x(zip_of({bomb})), "x is 1048576000 bytes in the archive; expected 10072");
}

TEST(Npz, RefusesOverlappingMembers) {
  // The second directory entry points into the data of the first member, where a header stands.
  const std::string inner = zip_of({stored("y.npy", "inner")});
  Member outer = stored("x.npy", inner), fake = stored("y.npy", "inner");
  std::string bytes = zip_of({outer, fake});
  const std::size_t directory = bytes.size() - 22 - 2 * 51;
  bytes = patched(bytes, directory + 51 + 42, std::string("\x23\x00\x00\x00", 4));
  EXPECT_ERROR(open(bytes), "\"x.npy\" and \"y.npy\" overlap");
}

TEST(Npz, RefusesBrokenZip64) {
  const std::vector<NpzEntry> entries = {
      {"x", {Dtype::Kind::kUint, 1}, {0}, std::span<const std::byte>()}};
  const std::string good = make_npz(entries, Zip64::kAlways);
  const std::size_t locator = good.size() - 22 - 20, end64 = locator - 56;
  EXPECT_NO_THROW(open(good));
  EXPECT_ERROR(open(patched(good, locator, "x")), "locator is missing");
  EXPECT_ERROR(open(patched(good, locator + 4, "\x01")), "several disks");
  EXPECT_ERROR(open(patched(good, locator + 8, "\xff\xff")), "end record is at offset 65535");
  EXPECT_ERROR(open(patched(good, locator + 16, "\x02")), "several disks");
  EXPECT_ERROR(open(patched(good, end64, "x")), "zip64 end record has a wrong signature");
  EXPECT_ERROR(open(patched(good, end64 + 4, "\xff")), "has size 255; expected 44");
  EXPECT_ERROR(open(patched(good, end64 + 16, "\x01")), "several disks");
  EXPECT_ERROR(open(patched(good, end64 + 24, "\x02")), "several disks");
  EXPECT_ERROR(open(patched(good, end64 + 47, "\x7f")), "zip directory of 9151314442816847");
  EXPECT_ERROR(open(good.substr(good.size() - 22)), "zip64 end record is missing");
}

}  // namespace
}  // namespace openworld

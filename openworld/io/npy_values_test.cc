#include "openworld/io/npy_values.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "openworld/io/mapped_file.h"
#include "openworld/io/npz.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::npy;
using testing::raw;

const Origin kOrigin{"load", "a.npz"};

NpyArray parse(const std::string& bytes) {
  return parse_npy(make_bytes(bytes), "x", kOrigin);
}

template <class T>
std::vector<T> to_vector(const Column<T>& column) {
  return {column.values.begin(), column.values.end()};
}

std::vector<double> doubles(const FloatColumn& column) {
  return std::visit(
      [](const auto& c) { return std::vector<double>(c.values.begin(), c.values.end()); }, column);
}

// dtypes.npz has the values 0..5 (0 and 1 by turns for bool) as 2 x 3, in every dtype, byte order
// and memory order.
TEST(NpyValues, ReadsEveryDtypeAndOrderThatNumpyWrites) {
  const Origin origin{"load", testing::testdata("dtypes.npz")};
  const ZipArchive archive(map_file(origin), origin);
  ASSERT_EQ(archive.members().size(), 48u);
  for (const ZipMember& member : archive.members()) {
    const std::string name = member.name.substr(0, member.name.size() - 4);
    SCOPED_TRACE(name);
    const NpyArray array = *read_npz_array(archive, name);
    const bool big = name.find("_big_") != std::string::npos && name[1] != '1';
    EXPECT_EQ(array.header.dtype.little_endian, !big);
    EXPECT_EQ(array.header.fortran_order, name.ends_with("_f"));
    EXPECT_EQ(array.header.shape, (std::vector<std::size_t>{2, 3}));
    std::vector<double> expected = name.ends_with("_f") ? std::vector<double>{0, 3, 1, 4, 2, 5}
                                                        : std::vector<double>{0, 1, 2, 3, 4, 5};
    if (name[0] == 'b') {
      for (double& value : expected) value = std::fmod(value, 2);
    }
    const FloatColumn floats = to_floats(array, origin);
    EXPECT_EQ(doubles(floats), expected);
    EXPECT_EQ(std::holds_alternative<Column<float>>(floats),
              name.starts_with("f2") || name.starts_with("f4"));
    if (name[0] == 'f') {
      EXPECT_ERROR(to_integers<std::int8_t>(array, "", origin),
                   "expected bool or an integer dtype");
    } else {
      const auto same = [&](const auto& column) {
        return std::equal(expected.begin(), expected.end(), column.values.begin());
      };
      EXPECT_TRUE(same(to_integers<std::int8_t>(array, "", origin)));
      EXPECT_TRUE(same(to_integers<std::uint8_t>(array, "", origin)));
      EXPECT_TRUE(same(to_integers<std::int32_t>(array, "", origin)));
    }
    const Matrix matrix = to_matrix(array, origin);
    EXPECT_EQ(matrix.rows, 2u);
    EXPECT_EQ(matrix.columns, 3u);
    EXPECT_EQ(matrix.fortran_order, name.ends_with("_f"));
  }
}

TEST(NpyValues, WidensHalvesExactly) {
  const Origin origin{"load", testing::testdata("halves.npz")};
  const ZipArchive archive(map_file(origin), origin);
  const auto floats = [&](const char* name) {
    return to_vector(std::get<Column<float>>(to_floats(*read_npz_array(archive, name), origin)));
  };
  const std::vector<float> got = floats("half"), expected = floats("expected");
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(got[i]));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(expected[i]));
    }
  }
}

TEST(NpyValues, UsesFittingItemsInPlace) {
  const std::vector<double> values = {0.1, -2.5};
  std::string header = make_npy_header({Dtype::Kind::kFloat, 8}, std::vector<std::size_t>{2});
  const NpyArray array = parse(header + raw(values));
  const auto column = std::get<Column<double>>(to_floats(array, kOrigin));
  EXPECT_EQ(static_cast<const void*>(column.values.data()), array.data.values.data());
  EXPECT_EQ(to_vector(column), values);
}

TEST(NpyValues, CopiesUnalignedItems) {
  const std::vector<double> values = {0.1, -2.5};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const NpyArray array = parse_npy(
        make_bytes(testing::npy_of(
            "{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}" + std::string(shift, ' '),
            raw(values))),
        "x", kOrigin);
    const auto column = std::get<Column<double>>(to_floats(array, kOrigin));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(column.values.data()) % alignof(double), 0u);
    EXPECT_EQ(to_vector(column), values);
  }
}

TEST(NpyValues, RefusesIntegersThatDoNotFit) {
  const auto i64 = [](std::vector<std::int64_t> v) {
    return parse(npy("<i8", shape_text(std::vector{v.size()}), raw(v)));
  };
  EXPECT_EQ(to_vector(to_integers<std::int8_t>(i64({-128, 127}), "", kOrigin)),
            (std::vector<std::int8_t>{-128, 127}));
  EXPECT_ERROR(to_integers<std::int8_t>(i64({0, 1, 128}), "0 or 1", kOrigin),
               "x[2] is 128; expected 0 or 1");
  EXPECT_ERROR(to_integers<std::uint8_t>(i64({-1}), "0 or 1", kOrigin), "x[0] is -1");
  EXPECT_ERROR(to_integers<std::int32_t>(i64({1, 1LL << 31}), "an index", kOrigin),
               "x[1] is 2147483648; expected an index");
  EXPECT_ERROR(to_integers<std::uint8_t>(parse(npy("|i1", "(2,)", "\x01\xff")), "0 or 1", kOrigin),
               "x[1] is -1");
  EXPECT_ERROR(to_integers<std::int8_t>(parse(npy("|u1", "(1,)", "\xff")), "0 or 1", kOrigin),
               "x[0] is 255");
  const std::vector<std::uint64_t> big = {~std::uint64_t{0}};
  EXPECT_ERROR(to_integers<std::int32_t>(parse(npy("<u8", "(1,)", raw(big))), "less", kOrigin),
               "x[0] is 18446744073709551615; expected less");
  EXPECT_ERROR(to_integers<std::int8_t>(parse(npy(">i2", "(1,)", "\x01\x02")), "less", kOrigin),
               "x[0] is 258; expected less");
}

TEST(NpyValues, RefusesIntegersThatADoubleRounds) {
  const std::int64_t exact = std::int64_t{1} << 53;
  const std::vector<std::int64_t> good = {exact, -exact}, high = {0, exact + 1}, low = {-exact - 1};
  EXPECT_EQ(doubles(to_floats(parse(npy("<i8", "(2,)", raw(good))), kOrigin)),
            (std::vector<double>{0x1p53, -0x1p53}));
  EXPECT_ERROR(to_floats(parse(npy("<i8", "(2,)", raw(high))), kOrigin),
               "x[1] is 9007199254740993; expected at most 2^53");
  EXPECT_ERROR(to_floats(parse(npy("<i8", "(1,)", raw(low))), kOrigin),
               "x[0] is -9007199254740993");
  EXPECT_ERROR(to_floats(parse(npy("|S2", "(1,)", "ab")), kOrigin),
               "x has dtype |S2; expected a float or integer dtype");
}

TEST(NpyValues, ReadsText) {
  using Strings = std::vector<std::string>;
  const std::u32string little(U"aé\0🦊b\0", 6);
  std::string bytes(reinterpret_cast<const char*>(little.data()), 24);
  EXPECT_EQ(to_strings(parse(npy("<U3", "(2,)", bytes)), kOrigin), (Strings{"aé", "🦊b"}));
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::reverse(bytes.begin() + i, bytes.begin() + i + 4);
  }
  EXPECT_EQ(to_strings(parse(npy(">U3", "(2,)", bytes)), kOrigin), (Strings{"aé", "🦊b"}));
  EXPECT_EQ(to_strings(parse(npy("|S3", "(3,)", std::string("ab\0\0\0\0\xc3\xa9z", 9))), kOrigin),
            (Strings{"ab", "", "éz"}));
  EXPECT_ERROR(to_strings(parse(npy("|S1", "(2,)", "a\xff")), kOrigin),
               "x[1] is not valid Unicode; expected UTF-8");
  EXPECT_ERROR(to_strings(parse(npy("<U1", "(1,)", std::string("\0\xd8\0\0", 4))), kOrigin),
               "x[0] is not valid Unicode; expected code points");
  EXPECT_ERROR(to_strings(parse(npy("|u1", "(1,)", "a")), kOrigin), "expected text (U or S)");
}

// With no items, the width in the header is unchecked.
TEST(NpyValues, EmptyTextArraysTakeNoMemory) {
  EXPECT_TRUE(to_strings(parse(npy("<U4294967295", "(0,)", "")), kOrigin).empty());
}

// A text of one byte is a string of 32, and a compressed file has a thousand of them in a byte.
TEST(NpyValues, TextsTakeAsMuchMemoryAsTheFileMay) {
  constexpr std::size_t kTexts = 600'000;
  NpyArray array = parse(npy("|S2", "(600000,)", std::string(2 * kTexts, 'a')));
  EXPECT_EQ(to_strings(array, kOrigin).size(), kTexts);
  array.file_bytes = 700;
  EXPECT_ERROR(to_strings(array, kOrigin),
               "x of 600000 texts needs 73 MiB of memory; expected at most 64 MiB for a file of "
               "700 bytes");
}

TEST(NpyValues, RefusesWrongShapes) {
  EXPECT_ERROR(require_dimensions(parse(npy("|u1", "(1, 2)", "ab")), 1, kOrigin),
               "x has shape (1, 2); expected 1 dimension");
  EXPECT_ERROR(to_matrix(parse(npy("<f4", "(1,)", "abcd")), kOrigin),
               "x has shape (1,); expected 2 dimensions");
  EXPECT_ERROR(to_matrix(parse(npy("<f4", "(5, 0)", "")), kOrigin),
               "x has shape (5, 0); expected at least one column");
}

}  // namespace
}  // namespace openworld

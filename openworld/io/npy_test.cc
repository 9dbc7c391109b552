#include "openworld/io/npy.h"

#include "openworld/io/mapped_file.h"
#include "openworld/io/npy_values.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::npy;
using testing::npy_of;
using testing::raw;

const Origin kOrigin{"load", "a.npz"};

NpyArray parse(const std::string& bytes) {
  return parse_npy(make_bytes(bytes), "score", kOrigin);
}

TEST(Npy, ReadsTheThreeVersionsThatNumpyWrites) {
  for (const char* name : {"version1.npy", "version2.npy", "version3.npy"}) {
    const Origin origin{"load", testing::testdata(name)};
    const NpyArray array = parse_npy(map_file(origin), "label", origin);
    EXPECT_EQ(array.header.dtype.name(), "<i4");
    EXPECT_EQ(array.header.shape, std::vector<std::size_t>{4});
    const auto column = to_integers<std::int32_t>(array, "", origin);
    EXPECT_EQ(std::vector(column.values.begin(), column.values.end()),
              (std::vector<std::int32_t>{0, 1, 2, 3}));
  }
}

TEST(Npy, ReadsKeysInAnyOrderAndEitherQuote) {
  const auto header =
      parse(npy_of("{\"shape\":(2,),'fortran_order':True,'descr':\"<f4\"}", "12345678")).header;
  EXPECT_EQ(header.dtype.name(), "<f4");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, std::vector<std::size_t>{2});
}

TEST(Npy, ShapesLikePython) {
  EXPECT_EQ(parse(npy("|u1", "()", "x")).header.shape.size(), 0u);
  EXPECT_EQ(parse(npy("|u1", "(2, 3)", "123456")).header.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(parse(npy("|u1", "(2, 0, 5,)", "")).header.count, 0u);
  EXPECT_EQ(shape_text(std::vector<std::size_t>{}), "()");
  EXPECT_EQ(shape_text(std::vector<std::size_t>{3}), "(3,)");
  EXPECT_EQ(shape_text(std::vector<std::size_t>{3, 4}), "(3, 4)");
}

TEST(Npy, HeaderThatIsWrittenReadsBackAndIsAligned) {
  const Dtype dtypes[] = {{Dtype::Kind::kBool, 1},
                          {Dtype::Kind::kInt, 8},
                          {Dtype::Kind::kFloat, 4, false},
                          {Dtype::Kind::kUnicode, 28}};
  const std::vector<std::size_t> shapes[] = {{}, {0}, {7}, {2, 3}, {1000000000000000, 0}};
  for (const Dtype& dtype : dtypes) {
    for (const auto& shape : shapes) {
      std::string bytes = make_npy_header(dtype, shape);
      EXPECT_EQ(bytes.size() % 64, 0u);
      const auto header = parse_npy_header(std::as_bytes(std::span(bytes)), "score", kOrigin);
      EXPECT_EQ(header.dtype.name(), dtype.name());
      EXPECT_EQ(header.shape, shape);
      EXPECT_EQ(header.data_offset, bytes.size());
    }
  }
}

struct Bad {
  std::string bytes;
  std::string message;
};

TEST(Npy, RefusesMalformedFiles) {
  const std::string head = "{'descr': '<f4', 'fortran_order': False, ";
  const std::vector<Bad> table = {
      {"", "score is not in npy format: it starts with \"\""},
      {"PK\x03\x04....", "is not in npy format: it starts with \"PK\\x03\\x04..\""},
      {"\x93NUMPY\x01", "truncated in its npy header: 7 bytes; expected at least 8"},
      {std::string("\x93NUMPY\x04\x00\x00\x00", 10), "version 4.0; expected 1.0, 2.0 or 3.0"},
      {std::string("\x93NUMPY\x01\x01\x00\x00", 10), "version 1.1"},
      {std::string("\x93NUMPY\xff\x00\x00\x00", 10), "version 255.0"},
      {std::string("\x93NUMPY\x01\x00\x76", 9), "truncated in its npy header"},
      {std::string("\x93NUMPY\x01\x00\x76\x00", 10), "10 bytes; expected at least 128"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "npy header of 4294967295 bytes"},
      {npy_of("", ""), "malformed npy header: expected '{'"},
      {npy_of("{}", ""), "expected the keys descr, fortran_order and shape"},
      {npy_of(head + "}", ""), "expected the keys"},
      {npy_of(head + "'shape': (1,), 'shape': (1,)}", ""), "unexpected key \"shape\""},
      {npy_of(head + "'shape': (1,), 'x': 1}", ""), "unexpected key \"x\""},
      {npy_of(head + "'shape': (1,)} x", ""), "text after the closing brace"},
      {npy_of(head + "'shape': (1,)", ""), "expected '}'"},
      {npy_of(head + "'shape", ""), "unterminated string"},
      {npy_of(head + "'sh\\x61pe': ()}", ""), "escape in a string"},
      {npy_of(head + "shape: ()}", ""), "expected a string"},
      {npy_of(head + "'shape' ()}", ""), "expected ':'"},
      {npy_of(head + "'shape': 3}", ""), "expected '('"},
      {npy_of(head + "'shape': (3)}", ""), "expected ',' in a shape of one dimension"},
      {npy_of(head + "'shape': (3 4)}", ""), "expected ',' or ')'"},
      {npy_of(head + "'shape': (-3,)}", ""), "expected a number of 0 or more"},
      {npy_of(head + "'shape': (99999999999999999999,)}", ""), "number too large"},
      {npy_of(
           head + "'shape': (" +
               [] {
                 std::string ones;
                 for (int i = 0; i < 33; ++i) ones += "1,";
                 return ones;
               }() +
               ")}",
           ""),
       "more than 32 dimensions"},
      {npy_of("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}", ""), "expected True or False"},
      {npy("<f8", "(4294967296, 4294967296)", ""), "more bytes than can be addressed"},
      {npy("<f8", "(4294967296, 0, 4294967296)", ""), "more bytes than can be addressed"},
      {npy("|u1", "(9223372036854775808,)", ""), "more bytes than can be addressed"},
      {npy("<f4", "(2,)", "1234567"), "7 bytes of data; expected 8 for dtype <f4 and shape (2,)"},
      {npy("<f4", "(2,)", "123456789"), "9 bytes of data; expected 8"},
      {npy("<f4", "(1000000000000,)", ""), "0 bytes of data; expected 4000000000000"},
  };
  for (const Bad& bad : table) EXPECT_ERROR(parse(bad.bytes), bad.message);
  EXPECT_ERROR(parse(""), "[load] a.npz: score");
}

TEST(Npy, RefusesDtypesItCannotHold) {
  for (const char* descr : {"<c8",           "<f16", "<f1", "<i3", "<i16", "|b4",  "<M8[s]",
                            "<m8[ms]",       "|V8",  "<U0", "|S0", "|f4",  "<i-4", "<i4x",
                            "<i99999999999", "",     "<",   "f",   "4",    "<\n4"}) {
    EXPECT_ERROR(parse(npy(descr, "(0,)", "")),
                 "score has dtype " + in_quotes(descr) + "; expected bool, an integer");
  }
  EXPECT_ERROR(parse(npy("|O", "(0,)", "")), "object array, dtype \"|O\", which is a pickle");
  EXPECT_ERROR(parse(npy_of("{'descr': [('a', '<f4')], ", "")), "score has dtype structured");
}

TEST(Npy, RefusesWhatNumpyWritesOfOtherKinds) {
  const Origin origin{"load", testing::testdata("refused.npz")};
  const ZipArchive archive(map_file(origin), origin);
  ASSERT_EQ(archive.members().size(), 7u);
  for (const ZipMember& member : archive.members()) {
    const std::string name = member.name.substr(0, member.name.size() - 4);
    EXPECT_ERROR(read_npz_array(archive, name),
                 name == "object" ? "object is an object array" : name + " has dtype ");
  }
}

TEST(Npy, EveryPrefixIsRefused) {
  const std::string whole = npy("<f4", "(2, 1)", "12345678");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << size;
  }
  EXPECT_NO_THROW(parse(whole));
}

}  // namespace
}  // namespace openworld

#include "openworld/io/csv.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

const Origin kOrigin{"load", "a.csv"};

CsvTable parse(const std::string& text) {
  return CsvTable(make_bytes(text), kOrigin);
}

using Rows = std::vector<std::vector<std::string>>;

Rows cells(const std::string& text) {
  const CsvTable table = parse(text);
  Rows rows = {table.columns()};
  for (std::size_t r = 0; r < table.rows(); ++r) {
    rows.emplace_back();
    for (std::size_t c = 0; c < table.columns().size(); ++c) {
      rows.back().emplace_back(table.cell(r, c));
    }
  }
  return rows;
}

TEST(Csv, ReadsPlainCells) {
  const Rows expected = {{"a", "b"}, {"1", "x y"}, {"", "2"}};
  for (const char* text : {"a,b\n1,x y\n,2\n", "a,b\r\n1,x y\r\n,2\r\n", "a,b\n1,x y\n,2",
                           "\xef\xbb\xbf"
                           "a,b\n1,x y\r\n,2\n\n\r\n\n",
                           "a\tb\n1\tx y\n\t2\n"}) {
    EXPECT_EQ(cells(text), expected) << in_quotes(text);
  }
  EXPECT_EQ(cells("a"), Rows({{"a"}}));
  EXPECT_EQ(cells("a\n1\n\n2\n"), Rows({{"a"}, {"1"}, {""}, {"2"}}));
  EXPECT_EQ(cells("a\tx,b\n1\t2,3\n"), Rows({{"a\tx", "b"}, {"1\t2", "3"}}));
}

TEST(Csv, ReadsQuotedCells) {
  EXPECT_EQ(cells("\"a\",\"b,c\"\n\"\",\"1\"\"2\"\"\"\n\"x\ny\",\"\r\n\"\r\n"),
            Rows({{"a", "b,c"}, {"", "1\"2\""}, {"x\ny", "\r\n"}}));
}

TEST(Csv, SurvivesAMove) {
  CsvTable first = parse("a\n\"1\"\"2\"\nx\n");
  const CsvTable second = std::move(first);
  EXPECT_EQ(second.cell(0, 0), "1\"2");
  EXPECT_EQ(second.cell(1, 0), "x");
}

TEST(Csv, ReadsNumbers) {
  const CsvTable table = parse("method,acc,seed\nclip,0.5,1\ncoop,-1e-3,9007199254740993\n");
  EXPECT_EQ(table.numbers(table.column("acc")), (std::vector<double>{0.5, -1e-3}));
  EXPECT_EQ(table.integer(1, 2), 9007199254740993);
  EXPECT_EQ(table.find("world"), std::nullopt);
}

TEST(Csv, RefusesMalformedTables) {
  struct Bad {
    std::string text;
    std::string message;
  };
  const std::vector<Bad> table = {
      {"", "[load] a.csv: is empty; expected a header line"},
      {"\n\r\n", "is empty"},
      {"\xef\xbb\xbf", "is empty"},
      {"a,b\n1\n", "line 2: 1 cells; expected 2, as in the header"},
      {"a,b\n1,2\n1,2,3\n", "line 3: 3 cells; expected 2"},
      {"a,b\n1,2\n\n1,2\n", "line 3: 1 cells; expected 2"},
      {"a,\n", "line 1: column 2 has no name"},
      {"a,b,a\n", "line 1: column \"a\" appears twice"},
      {std::string("a,b\n1,\0\n", 8), "line 2: NUL byte; expected text"},
      {std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10), "is a JPEG image; expected a CSV"},
      {std::string("PK\x03\x04\0\0", 6), "is a zip archive, as .npz and .pt are; expected a CSV"},
      {"a\n\"x\n\n", "line 2: unterminated quote"},
      {"a\n\"x\"\"\n", "line 2: unterminated quote"},
      {"a\nx\"y\"\n", "line 2: quote inside a cell"},
      {"a\n\"x\"y\n", "line 2: text after a closing quote"},
      {"a\rb\n", "line 1: carriage return inside a line"},
      {"a\n\"x\"\ry\n", "line 2: carriage return inside a line"},
      {"a\n1\r", "line 2: carriage return inside a line"},
  };
  for (const Bad& bad : table) EXPECT_ERROR(parse(bad.text), bad.message);
}

TEST(Csv, NamesLineAndColumnOfABadCell) {
  for (const char* cell : {"", "x", "1x", " 1", "1 ", "nan", "inf", "-inf", "1e999", "0x1", "1,"}) {
    const CsvTable table = parse("score,b\n1,2\n\"" + std::string(cell) + "\",3\n");
    EXPECT_ERROR(table.numbers(0), "[load] a.csv: line 3, column \"score\": got " +
                                       in_quotes(cell) + "; expected a finite number");
  }
  for (const char* cell : {"", "1.0", "x", "9223372036854775808", "--1"}) {
    const CsvTable table = parse("n\n" + std::string(cell) + "\n1\n");
    EXPECT_ERROR(table.integer(0, 0), "expected an integer");
  }
  EXPECT_ERROR(parse("a,b\n").column("acc"), "no column acc; the header has \"a\", \"b\"");
}

TEST(Csv, CountsLinesThroughQuotedLineEnds) {
  const CsvTable table = parse("\"a\nb\",c\n1,1\n\"\n\n\",2\nx,3\n\"\n\",4\ny,5\n");
  EXPECT_ERROR(table.number(0, 0); table.number(1, 0), "line 4, column \"a\\x0ab\"");
  EXPECT_ERROR(table.number(2, 0), "line 7,");
  EXPECT_ERROR(table.number(3, 0), "line 8,");
  EXPECT_ERROR(table.number(4, 0), "line 10,");
}

}  // namespace
}  // namespace openworld

#include "openworld/base/quotes.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

TEST(InQuotes, IsOnePrintableLine) {
  EXPECT_EQ(in_quotes("a\"b\\c\n\xff"), R"("a\"b\\c\x0a\xff")");
  EXPECT_EQ(in_quotes(std::string(61, 'x')), in_quotes(std::string(60, 'x') + "y"));
  EXPECT_EQ(in_quotes(std::string(61, 'x')).substr(60), "x...\"");
}

TEST(Printable, EscapesWhatATerminalObeys) {
  EXPECT_EQ(printable("\x1b[2Jred\x07\r\x7f"), R"(\x1b[2Jred\x07\x0d\x7f)");
  EXPECT_EQ(printable("a\n\tb"), "a\n\tb");
  EXPECT_EQ(printable_line("a\n\tb"), "a  b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \x9b"
                      "31m"),
            R"(\x9b31m \x9b31m)");
  EXPECT_EQ(printable(std::string("\0x", 2)), R"(\x00x)");
}

TEST(Printable, KeepsText) {
  for (const char* text : {"", "plain", "caf\xc3\xa9", "\xc2\xa0", "\xe2\x80\x99s", "\xe2\x82\xac",
                           "\xf0\x9f\x90\x95", "\xe5\x9b\x9b"}) {
    EXPECT_EQ(printable(text), text);
    EXPECT_EQ(printable_line(text), text);
  }
  // Cut off, or in another encoding: C1 is escaped, the rest stays.
  EXPECT_EQ(printable("\xe2\x80"), "\xe2\\x80");
  EXPECT_EQ(printable("caf\xe9"), "caf\xe9");
}

TEST(Error, HasNoControlCharacters) {
  EXPECT_STREQ(Error("f", "\x1b]0;x\x07.npz: no\nsuch").what(), R"([f] \x1b]0;x\x07.npz: no such)");
}

// A value of a file may be as long as the file; what begins and ends the message is kept.
TEST(Printable, LongErrorsAreCutInTheMiddle) {
  const std::string start = "file.csv: has the splits ", end = "; expected train";
  for (const std::string_view letter : {"a", "\xc3\xa9", "\xe2\x82\xac"}) {
    std::string text = start;
    while (text.size() < 1'000'000) text += letter;
    const std::string what = Error("f", text + end).what();
    EXPECT_LE(what.size(), 12'100u);
    EXPECT_TRUE(what.starts_with("[f] " + start));
    EXPECT_TRUE(what.ends_with(end));
    EXPECT_EQ(printable_line(what), what) << "a sequence was cut";
  }
  const std::string whole(12'000, 'a');
  EXPECT_EQ(Error("f", whole).message(), whole);
}

}  // namespace
}  // namespace openworld

#include "openworld/text/clean_text.h"

#include "openworld/io/test_util.h"
#include "openworld/io/utf8.h"
#include "openworld/text/html_entities.h"
#include "openworld/text/lower_case.h"

namespace openworld {
namespace {

TEST(CleanText, TidiesSpacesAndCase) {
  EXPECT_EQ(clean_text(""), "");
  EXPECT_EQ(clean_text(" \t\n"), "");
  EXPECT_EQ(clean_text("  A  Photo\r\nof\tA\vDOG. "), "a photo of a dog.");
  EXPECT_EQ(clean_text("\x1c a \x1d b \x1f"), "a \x1d b");  // stripped, but not white space
  EXPECT_EQ(clean_text("\u00a0É\u2003\u3000È\u0085"), "é è");
}

// Both code paths give the same result where both apply.
TEST(CleanText, PlainTextTakesAShortcutOnly) {
  for (const char* text : {"  A  b\t\x1f", "\x1e x\x1c y", "Hello,  WORLD! "}) {
    const std::string plain = clean_text(text);
    EXPECT_EQ(clean_text(std::string(text) + "\u3000"), plain);
  }
}

TEST(CleanText, ResolvesReferencesTwice) {
  EXPECT_EQ(clean_text("a&amp;lt;b &amp;amp;amp; &notit;"), "a<b &amp; ¬it;");
  EXPECT_EQ(clean_text("&#x80;&#0;&#xD800;&#x110000;&#1;"), "€\ufffd\ufffd\ufffd");
  EXPECT_EQ(clean_text("&#" + std::string(10'000, '9') + ";"), "\ufffd");
}

TEST(CleanText, LowersWordsNotOnlyLetters) {
  EXPECT_EQ(clean_text("ΟΔΥΣΣΕΥΣ ΣΑΣ. aΣ'b"), "οδυσσευς σας. aσ'b");
  EXPECT_EQ(clean_text("İ"), "i\u0307");
}

TEST(CleanText, RefusesWhatIsNotUtf8) {
  EXPECT_ERROR(clean_text("caf\xe9"), "[clean_text] text \"caf\\xe9\" is not valid UTF-8");
}

TEST(LowerCase, IsDoneAfterOnePass) {
  for (char32_t c = 0; c <= 0x10ffff; ++c) {
    if (c == 0xd800) c = 0xe000;
    const std::u32string lower = lower_case({&c, 1});
    ASSERT_EQ(lower_case(lower), lower) << std::hex << static_cast<std::uint32_t>(c);
  }
}

}  // namespace
}  // namespace openworld

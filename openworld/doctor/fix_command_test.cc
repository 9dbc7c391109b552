#include "openworld/doctor/fix_command.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace openworld {
namespace {

// What a shell makes of the word.
std::string echoed(const std::string& word) {
  std::FILE* const out = popen(("printf %s " + word).c_str(), "r");
  std::string text;
  std::array<char, 256> buffer{};
  while (const std::size_t read = std::fread(buffer.data(), 1, buffer.size(), out)) {
    text.append(buffer.data(), read);
  }
  pclose(out);
  return text;
}

TEST(ShellWord, StandsForAnyText) {
  EXPECT_EQ(shell_word("runs/a-1.npz"), "runs/a-1.npz");
  EXPECT_EQ(shell_word("my runs/it's"), "\"my runs/it's\"");
  for (const char* text : {"a b", "it's", "$HOME `id` \"q\" \\ it's !", "a;b&c|d>e", "*?[x]~#",
                           "line\nbreak", "", "\u65e5\u672c"}) {
    EXPECT_EQ(echoed(shell_word(text)), text);
  }
}

TEST(PythonText, EscapesQuotesAndControlCharacters) {
  EXPECT_EQ(python_text("preds.npz"), "'preds.npz'");
  EXPECT_EQ(python_text("it's\\\n"), "'it\\'s\\\\\\x0a'");
}

}  // namespace
}  // namespace openworld

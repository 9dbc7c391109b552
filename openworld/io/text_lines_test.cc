#include "openworld/io/text_lines.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

TEST(TextLines, DropsOrKeepsEmptyLines) {
  const TempFolder folder;
  folder.write("names.txt",
               "\xef\xbb\xbf"
               "cat\r\n\ndog\n");
  const Origin origin{"test", folder / "names.txt"};
  EXPECT_EQ(read_text_lines(origin), (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(read_text_lines(origin, EmptyLines::kKeep),
            (std::vector<std::string>{"cat", "", "dog"}));
}

TEST(TextLines, BoundsTheMemoryOfEmptyLines) {
  const TempFolder folder;
  folder.write("texts.txt", std::string(1'000'000, '\n'));
  EXPECT_ERROR(read_text_lines({"test", folder / "texts.txt"}, EmptyLines::kKeep),
               "texts.txt: a list of lines needs ");
}

}  // namespace
}  // namespace openworld

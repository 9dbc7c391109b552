#include "openworld/worlds/class_names.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Names = std::vector<std::string>;

ClassNames parse(const std::string& text, bool json = false) {
  return ClassNames::parse(text, json, {"f", "names"});
}

TEST(ClassNames, TakesOneALine) {
  EXPECT_EQ(parse("red fox\r\n\n grey wolf \n").by_label(), (Names{"red fox", "grey wolf"}));
  EXPECT_EQ(parse("red fox\ngrey wolf\n").for_folders({"a", "b"}), (Names{"red fox", "grey wolf"}));
  // The folders themselves, not folders without names.
  EXPECT_EQ(parse("fox\nwolf\n").for_folders({"fox", "wolf"}), (Names{"fox", "wolf"}));
}

TEST(ClassNames, FindsFolders) {
  EXPECT_EQ(parse("b grey wolf\na red fox\nc bear\n").for_folders({"a", "b"}),
            (Names{"red fox", "grey wolf"}));
  EXPECT_EQ(parse(R"({"b": "wolf", "a": "fox"})", true).for_folders({"a", "b"}),
            (Names{"fox", "wolf"}));
  EXPECT_ERROR(parse(R"({"a": "fox"})", true).for_folders({"a", "b"}),
               "[f] names: has no name for the folder \"b\"");
}

TEST(ClassNames, KnowsWordNetIds) {
  EXPECT_EQ(parse("n01443537 goldfish\nn01440764 tench\n").by_label(),
            (Names{"tench", "goldfish"}));
  EXPECT_EQ(parse("n01443537 goldfish\nno1 tench\n").by_label(),
            (Names{"n01443537 goldfish", "no1 tench"}));
}

TEST(ClassNames, TakesJson) {
  EXPECT_EQ(parse(R"(["fox", "wolf"])", true).by_label(), (Names{"fox", "wolf"}));
  EXPECT_EQ(parse(R"({"1": "wolf", "0": "fox"})", true).by_label(), (Names{"fox", "wolf"}));
  EXPECT_EQ(parse(R"({"1": "wolf", "0": "fox"})", true).for_folders({"x", "y"}),
            (Names{"fox", "wolf"}));
}

TEST(ClassNames, RefusesDamage) {
  EXPECT_ERROR(parse("\n"), "has no class names");
  EXPECT_ERROR(parse("[]", true), "has no class names");
  EXPECT_ERROR(parse("caf\xe9"), "is not valid UTF-8");
  EXPECT_ERROR(parse("[", true), "is not valid JSON");
  EXPECT_ERROR(parse("7", true), "holds neither a list nor an object");
  EXPECT_ERROR(parse(R"(["fox", 7])", true), "item 1 is \"7\"; expected a class name");
  EXPECT_ERROR(parse(R"({"a": ""})", true), "the name of \"a\" is");
  EXPECT_ERROR(parse(R"({"a": "fox"})", true).by_label(), "has the key \"a\"; expected labels");
  EXPECT_ERROR(parse(R"({"2": "fox"})", true).by_label(), "expected labels from 0 to 0");
  EXPECT_ERROR(parse(R"({"0": "fox", "00": "wolf"})", true).by_label(), "has the key \"00\"");
}

}  // namespace
}  // namespace openworld

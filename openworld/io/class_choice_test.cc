#include "openworld/io/class_choice.h"

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Classes = std::vector<std::size_t>;

const std::vector<std::string> kNames = {"tabby_cat", "dog", "tea, cup", "half", "dog"};

TEST(ClassChoice, HalvesAsCoOpDoes) {
  EXPECT_EQ(base_class_count(0), 0u);
  EXPECT_EQ(base_class_count(1), 1u);
  EXPECT_EQ(base_class_count(37), 19u);
  EXPECT_EQ(base_class_count(100), 50u);
}

TEST(ClassChoice, CountsBaseClasses) {
  EXPECT_EQ(base_classes("half", 7, "test"), 4u);
  EXPECT_EQ(base_classes("all", 7, "test"), 7u);
  EXPECT_EQ(base_classes("3", 7, "test"), 3u);
  for (const char* base : {"", "0", "8", "-1", "3.5", "third"}) {
    EXPECT_ERROR(base_classes(base, 7, "test"), "expected all, half, or 1 to 7");
  }
}

TEST(ClassChoice, BaseByNumberOrName) {
  EXPECT_EQ(choose_base("half", 5, kNames, "test"), (Classes{0, 1, 2}));
  EXPECT_EQ(choose_base("all", 5, {}, "test"), (Classes{0, 1, 2, 3, 4}));
  EXPECT_EQ(choose_base("2", 5, {}, "test"), (Classes{0, 1}));
  EXPECT_ERROR(choose_base("6", 5, kNames, "test"), "base is '6'; expected all, half, or 1 to 5");
  // In the order of the classes, whatever that of the list.
  EXPECT_EQ(choose_base("dog, tabby cat", 5, kNames, "test"), (Classes{0, 1, 4}));
  EXPECT_EQ(choose_base("tabby_cat", 5, kNames, "test"), (Classes{0}));
}

TEST(ClassChoice, BaseByListOfNames) {
  EXPECT_EQ(choose_base(std::vector<std::string>{"tea, cup", "half"}, 5, kNames, "test"),
            (Classes{2, 3}));
  EXPECT_ERROR(choose_base(std::vector<std::string>{}, 5, kNames, "test"), "base names no class");
  EXPECT_ERROR(choose_base(std::vector<std::string>{"dog"}, 5, {}, "test"),
               "base is a list of names, but the classes have no names");
}

TEST(ClassChoice, BaseByFile) {
  const testing::TempFolder folder;
  const std::string path = folder.write("names.txt", "\xef\xbb\xbfhalf\r\n\n  tea, cup \n");
  EXPECT_EQ(choose_base(path, 5, kNames, "test"), (Classes{2, 3}));
  folder.write("wrong.txt", "dog\ntaby cat\n");
  EXPECT_ERROR(choose_base(folder / "wrong.txt", 5, kNames, "test"),
               "wrong.txt: base names \"taby cat\", which is no class; did you mean tabby_cat? "
               "expected names of the 5 classes");
  folder.write("empty.txt", "\n");
  EXPECT_ERROR(choose_base(folder / "empty.txt", 5, kNames, "test"), "base names no class");
}

TEST(ClassChoice, RefusesWhatIsNoClass) {
  EXPECT_ERROR(choose_base("dog,bird", 5, kNames, "test"), "[test] base names \"bird\", which is");
  EXPECT_ERROR(choose_base("", 5, kNames, "test"), "base names no class");
  EXPECT_ERROR(choose_base("missing.txt", 5, kNames, "test"), "or a file of them");
  EXPECT_ERROR(find_classes("dog", {}, "new", "test"), "new is \"dog\", but the classes have no");
}

}  // namespace
}  // namespace openworld

#include "openworld/worlds/osr_split.h"

#include <algorithm>
#include <set>

#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Labels = std::vector<std::int32_t>;

TEST(OsrSplit, HasThePublishedLists) {
  EXPECT_EQ(osr_split("cifar10:0").known, (Labels{0, 6, 4, 9, 1, 7}));
  EXPECT_EQ(osr_split("cifar10:0").unknown, (Labels{2, 3, 5, 8}));
  EXPECT_EQ(osr_split("cifar10:4").known, (Labels{2, 4, 1, 7, 9, 6}));
  EXPECT_EQ(osr_split("mnist:0").known, (Labels{2, 4, 5, 9, 8, 3}));
  EXPECT_EQ(osr_split("mnist:4").known, (Labels{6, 3, 4, 9, 8, 2}));
  EXPECT_EQ(osr_split("svhn:2").known, (Labels{8, 9, 4, 7, 2, 1}));
  EXPECT_EQ(osr_split("cifar+n:0").known, (Labels{4, 7, 9, 1}));
  EXPECT_TRUE(osr_split("cifar+n:0").unknown.empty());
}

TEST(OsrSplit, ListsAreOfDistinctClasses) {
  for (const OsrSplitRow& row : osr_split_table()) {
    ASSERT_EQ(row.known.size(), 5u);
    for (std::size_t i = 0; i < row.known.size(); ++i) {
      const OsrSplit split = osr_split(std::string(row.name) + ":" + std::to_string(i));
      std::set<std::int32_t> all(split.known.begin(), split.known.end());
      EXPECT_EQ(all.size(), split.known.size());
      all.insert(split.unknown.begin(), split.unknown.end());
      EXPECT_EQ(all.size(), row.rest_is_unknown ? row.classes : split.known.size());
      check_osr_split(split, row.classes);
    }
  }
}

TEST(OsrSplit, TheNewLabelIsThePlaceInTheList) {
  const OsrSplit split = osr_split("cifar10:0");
  EXPECT_EQ(split.place_of(0), 0);
  EXPECT_EQ(split.place_of(6), 1);
  EXPECT_EQ(split.place_of(7), 5);
  EXPECT_EQ(split.place_of(2), -1);
  EXPECT_EQ(split.place_of(-1), -1);
}

TEST(OsrSplit, TakesListsOfOnesOwn) {
  const std::vector<std::string> classes = {"cat", "dog", "fox", "T-shirt/top"};
  const OsrSplit split = osr_split_of("2, cat", classes);
  EXPECT_EQ(split.known, (Labels{2, 0}));
  EXPECT_EQ(split.unknown, (Labels{1, 3}));
  EXPECT_EQ(osr_split_of("T-shirt/top,0", classes).known, (Labels{3, 0}));
  EXPECT_TRUE(osr_split_of("0,1,2,3", classes, false).unknown.empty());
}

TEST(OsrSplit, RefusesWhatIsNoSplit) {
  const std::vector<std::string> classes = {"cat", "dog", "fox"};
  EXPECT_ERROR(osr_split("cifar10:5"),
               "[osr_split] no split \"cifar10:5\"; expected mnist, svhn, "
               "cifar10, cifar+n with :0 to :4, as in cifar10:0");
  for (const char* name :
       {"", "cifar10", "cifar10:", "cifar10:-1", "cifar10:0x", "cifar:0", ":0"}) {
    EXPECT_ERROR(osr_split(name), "no split");
  }
  EXPECT_ERROR(osr_split_of("0,3", classes),
               "known class 3 does not exist; expected labels 0 to 2");
  EXPECT_ERROR(osr_split_of("0,catt", classes), "no class \"catt\"; did you mean cat?");
  EXPECT_ERROR(osr_split_of("0,cat", classes), "class 0 (\"cat\") is known twice");
  EXPECT_ERROR(osr_split_of("0", classes), "1 known class; expected two or more");
  EXPECT_ERROR(osr_split_of("", classes), "0 known classes; expected two or more");
  EXPECT_ERROR(osr_split_of("0,1,2", classes), "all 3 classes are known");
  EXPECT_ERROR(check_osr_split(osr_split("cifar10:0"), 9),
               "the split \"cifar10:0\" has the class 9; expected labels below 9");
}

}  // namespace
}  // namespace openworld

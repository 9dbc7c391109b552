#include "openworld/base/split_list.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

using List = std::vector<std::string>;

TEST(SplitList, GivesThePartsAsTheyAre) {
  EXPECT_EQ(split_list(""), List{});
  EXPECT_EQ(split_list("a"), List{"a"});
  EXPECT_EQ(split_list("a, b,,c"), (List{"a", " b", "", "c"}));
  EXPECT_EQ(split_list("a,"), (List{"a", ""}));
  EXPECT_EQ(split_list("x=1,2;y=3", ';'), (List{"x=1,2", "y=3"}));
}

}  // namespace
}  // namespace openworld

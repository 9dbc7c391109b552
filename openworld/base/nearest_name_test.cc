#include "openworld/base/nearest_name.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

TEST(NearestName, CountsLettersPutInLeftOutAndChanged) {
  const std::string known[] = {"auroc", "aupr_base", "hm"};
  EXPECT_EQ(nearest_name("auroc", known), "auroc");
  EXPECT_EQ(nearest_name("aurok", known), "auroc");
  EXPECT_EQ(nearest_name("auprbase", known), "aupr_base");
  EXPECT_EQ(nearest_name("hmm", known), "hm");
  EXPECT_EQ(nearest_name("", known), "hm");
}

TEST(NearestName, TakesTheFirstOfSeveral) {
  const std::string known[] = {"bat", "cat", "rat"};
  EXPECT_EQ(nearest_name("hat", known), "bat");
}

}  // namespace
}  // namespace openworld

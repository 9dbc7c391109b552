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
  EXPECT_EQ(nearest_name("AUROC", known), "auroc");
  EXPECT_EQ(nearest_name("mh", known), "hm");
  const std::string scores[] = {"base_sum", "msp", "energy"};
  EXPECT_EQ(nearest_name("mps", scores), "msp");
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  const std::string known[] = {"auroc", "aupr_base", "hm"};
  EXPECT_EQ(nearest_name("foo", known), "");
  EXPECT_EQ(nearest_name("", known), "");
  EXPECT_EQ(nearest_name("auroc", {}), "");
  EXPECT_EQ(did_you_mean("foo", known), "");
  EXPECT_EQ(did_you_mean("aurok", known), "did you mean auroc? ");
  EXPECT_EQ(known_names("foo", known), "there are auroc, aupr_base, hm");
  EXPECT_EQ(known_names("hmm", known), "did you mean hm? There are auroc, aupr_base, hm");
}

// Names may come from files, as many and as long as they like.
TEST(NearestName, LooksAtWhatPeopleWrite) {
  const std::vector<std::string> known = {"cat", std::string(1'000'000, 'c')};
  EXPECT_EQ(nearest_name("bat", known), "cat");
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'c'), known), "");
  EXPECT_TRUE(known_names("x", std::vector<std::string>(103, "a")).ends_with("a, a and 3 more"));
}

TEST(NearestName, TakesTheFirstOfSeveral) {
  const std::string known[] = {"bat", "cat", "rat"};
  EXPECT_EQ(nearest_name("hat", known), "bat");
}

TEST(SameName, IgnoresCaseAndDashes) {
  EXPECT_TRUE(is_same_name("zero-shot", "Zero_Shot"));
  EXPECT_TRUE(is_same_name("GMoP", "gmop"));
  EXPECT_FALSE(is_same_name("gmop", "gmops"));
  EXPECT_FALSE(is_same_name("a b", "ab"));
}

}  // namespace
}  // namespace openworld

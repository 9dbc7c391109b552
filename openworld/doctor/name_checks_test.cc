// The checks of class names.

#include <algorithm>

#include "openworld/doctor/plain_name.h"
#include "openworld/doctor/test_doctor.h"

namespace openworld {
namespace {

using testing::found_by;
using testing::has_text;

Patient with_names(std::vector<std::string> names) {
  Patient patient;
  patient.names.push_back({std::move(names), "names"});
  return patient;
}

TEST(PlainName, IsWhatPromptsRead) {
  EXPECT_EQ(plain_name("  Ice__Cream\t cup "), "ice cream cup");
  EXPECT_EQ(plain_name("T-shirt"), "t-shirt");
  EXPECT_EQ(plain_name("_"), "");
}

TEST(EqualNames, DifferInCaseAndUnderscoresOnly) {
  EXPECT_EQ(found_by(with_names({"cat", "dog", "hot dog", "t-shirt", "t shirt"}), "equal-names"),
            "");
  const std::string found = found_by(with_names({"Ice_cream", "cup", "ice cream"}), "equal-names");
  EXPECT_TRUE(has_text(found, "1 of 3 class names occur before")) << found;
  EXPECT_TRUE(has_text(found, "classes 0 and 2: \"Ice_cream\" and \"ice cream\"")) << found;
}

TEST(ContainedNames, AreWholeWords) {
  EXPECT_EQ(found_by(with_names({"car", "carrot", "cat", "Cat"}), "contained-names"), "");
  const std::string found =
      found_by(with_names({"hot_dog", "dog", "red hot chili", "hot", "bus"}), "contained-names");
  EXPECT_TRUE(has_text(found, "3 class names are contained in another")) << found;
  EXPECT_TRUE(has_text(found, "classes 1 and 0: \"dog\" and \"hot_dog\"")) << found;
  EXPECT_TRUE(has_text(found, "classes 3 and 2: \"hot\" and \"red hot chili\"")) << found;
}

// The phrases of a name are as many as the square of its words.
TEST(ContainedNames, OfDescriptionsAreNotLookedFor) {
  std::string words;
  for (int i = 0; i < 200'000; ++i) words += "a ";
  EXPECT_EQ(found_by(with_names({words, "a"}), "contained-names"), "");
  EXPECT_EQ(found_by(with_names({words, words + "b"}), "contained-names"), "");
}

TEST(Examine, LeavesOutWhatIsIgnored) {
  const Patient patient = with_names({"dog", "hot dog", "Dog"});
  const Examination all = examine(patient);
  EXPECT_EQ(all.looked, (std::vector<std::string_view>{"equal-names", "contained-names"}));
  ASSERT_EQ(all.findings.size(), 2u);
  EXPECT_EQ(all.findings[0].check, "equal-names");
  EXPECT_FALSE(all.healthy());
  const std::vector<std::string> both = {"contained-names", "equal-names"};
  EXPECT_TRUE(examine(patient, both).healthy());
  const std::vector<std::string> wrong = {"equal-name"};
  EXPECT_ERROR(examine(patient, wrong), "no check \"equal-name\"; did you mean equal-names?");
}

TEST(Examine, ChecksHaveNamesOfTheirOwn) {
  std::vector<std::string_view> names;
  for (const DoctorCheck* check : doctor_checks()) names.push_back(check->name);
  std::ranges::sort(names);
  EXPECT_TRUE(std::ranges::adjacent_find(names) == names.end());
}

}  // namespace
}  // namespace openworld

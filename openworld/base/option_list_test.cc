#include "openworld/base/option_list.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"

namespace openworld {
namespace {

struct Fields {
  std::int64_t tokens = 16;
  double lr = 0.002;
  bool single = false;
  std::string gate = "sigmoid", init = "";
  OptionList list;

  Fields() {
    list.add("tokens", tokens, 1, 77, "rows");
    list.add("lr", lr, 0, 1, "learning rate");
    list.add("single", single, "one prompt");
    list.add("gate", gate, {"sigmoid", "logit", "none"}, "of pairs");
    list.add("init", init, "words");
  }
};

std::string refusal(const std::string& assignment) {
  Fields fields;
  try {
    fields.list.set(assignment, "tune");
  } catch (const Error& e) {
    EXPECT_EQ(fields.list.values(), Fields().list.values());
    return e.what();
  }
  return "";
}

TEST(Options, AreSetByTextAndComeBackAsValues) {
  Fields fields;
  for (const char* text :
       {"tokens=4", "lr=1e-3", "single=true", "gate=none", "init=a photo of a = b"}) {
    fields.list.set(text, "tune");
  }
  EXPECT_EQ(fields.tokens, 4);
  EXPECT_EQ(fields.lr, 1e-3);
  EXPECT_TRUE(fields.single);
  EXPECT_EQ(fields.gate, "none");
  EXPECT_EQ(fields.init, "a photo of a = b");
  Fields other;
  other.list.set_values(fields.list.values(), "tune");
  EXPECT_EQ(other.list.values(), fields.list.values());
}

TEST(Options, SayWhatIsExpected) {
  EXPECT_EQ(refusal("tokens=0"), "[tune] option tokens is \"0\"; expected an integer from 1 to 77");
  EXPECT_EQ(refusal("tokens=4x"),
            "[tune] option tokens is \"4x\"; expected an integer from 1 to 77");
  EXPECT_EQ(refusal("lr=nan"), "[tune] option lr is \"nan\"; expected a number from 0 to 1");
  EXPECT_EQ(refusal("single=yes"), "[tune] option single is \"yes\"; expected true or false");
  EXPECT_EQ(refusal("gate=soft"),
            "[tune] option gate is \"soft\"; expected sigmoid, logit or none");
  EXPECT_EQ(refusal("token=4"),
            "[tune] no option \"token\"; did you mean tokens? There are tokens, lr, single, gate, "
            "init");
  EXPECT_EQ(refusal("tokens"),
            "[tune] an option is \"tokens\"; expected key=value, such as epochs=10");
}

TEST(Options, ValuesAreOfTheRightType) {
  Fields fields;
  for (const OptionValues& wrong : std::vector<OptionValues>{{{"tokens", 1.5}},
                                                             {{"tokens", std::string("4")}},
                                                             {{"single", std::int64_t{1}}},
                                                             {{"gate", std::string("soft")}},
                                                             {{"what", std::int64_t{1}}}}) {
    EXPECT_THROW(fields.list.set_values(wrong, "predict"), Error) << wrong[0].name;
  }
  fields.list.set_values({{"lr", std::int64_t{1}}}, "predict");
  EXPECT_EQ(fields.lr, 1);
}

TEST(Options, SayWhichChanged) {
  Fields fields, defaults;
  fields.list.set("lr=0.5", "tune");
  fields.list.set("tokens=16", "tune");
  EXPECT_EQ(fields.list.changed_from(defaults.list), (OptionValues{{"lr", 0.5}}));
}

TEST(Options, TakeOldNamesOfChoices) {
  std::string score = "mcm";
  OptionList list;
  list.add("score", score, {"msp", "mcm"}, "r", {{"ordinary", "msp"}});
  list.set("score=ordinary", "tune");
  EXPECT_EQ(score, "msp");
  EXPECT_EQ(list.rows()[0].expected, "msp or mcm");
}

TEST(Options, AreValuesOfAnEnum) {
  enum class Tower { kNeither, kImage, kText };
  Tower lock = Tower::kNeither;
  OptionList list;
  list.add<Tower>("lock", lock,
                  {{"", Tower::kNeither}, {"image", Tower::kImage}, {"text", Tower::kText}}, "t");
  EXPECT_EQ(list.values(), (OptionValues{{"lock", std::string()}}));
  list.set("lock=text", "train");
  EXPECT_EQ(lock, Tower::kText);
  EXPECT_EQ(list.values(), (OptionValues{{"lock", std::string("text")}}));
  EXPECT_THROW(list.set("lock=both", "train"), Error);
  EXPECT_THROW(list.set_values({{"lock", std::int64_t{1}}}, "train"), Error);
  EXPECT_EQ(lock, Tower::kText);
  EXPECT_EQ(list.rows()[0].expected, "image or text");
  list.set_values({{"lock", std::string()}}, "train");
  EXPECT_EQ(lock, Tower::kNeither);
}

TEST(Options, SayTheirRangesInBrief) {
  Fields fields;
  std::vector<std::string> ranges;
  for (const OptionRow& row : fields.list.rows()) ranges.push_back(row.range);
  EXPECT_EQ(ranges,
            (std::vector<std::string>{"[1 - 77]", "[0 - 1]", "", "{sigmoid,logit,none}", ""}));
}

TEST(Options, AsText) {
  EXPECT_EQ(option_text(true), "true");
  EXPECT_EQ(option_text(std::int64_t{16}), "16");
  EXPECT_EQ(option_text(0.002), "0.002");
  EXPECT_EQ(option_text(1.0), "1.0");
  EXPECT_EQ(option_text(1e-10), "1e-10");
  EXPECT_EQ(option_text(std::string("a b")), "a b");
}

}  // namespace
}  // namespace openworld

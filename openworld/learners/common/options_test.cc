#include "openworld/learners/common/options.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "openworld/base/error.h"

namespace openworld {
namespace {

struct Fields {
  std::int64_t tokens = 16;
  double rate = 0.002;
  bool single = false;
  std::string gate = "sigmoid", init = "";
  OptionList list;

  Fields() {
    list.add("tokens", tokens, 1, 77, "rows");
    list.add("lr", rate, 0, 1, "step size");
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
    EXPECT_EQ(fields.list.json(), Fields().list.json());
    return e.what();
  }
  return "";
}

TEST(Options, AreSetByTextAndComeBackAsJson) {
  Fields fields;
  for (const char* text :
       {"tokens=4", "lr=1e-3", "single=true", "gate=none", "init=a photo of a = b"}) {
    fields.list.set(text, "tune");
  }
  EXPECT_EQ(fields.tokens, 4);
  EXPECT_EQ(fields.rate, 1e-3);
  EXPECT_TRUE(fields.single);
  EXPECT_EQ(fields.gate, "none");
  EXPECT_EQ(fields.init, "a photo of a = b");
  Fields other;
  other.list.set_values(nlohmann::json(fields.list.json()), "tune");
  EXPECT_EQ(other.list.json(), fields.list.json());
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
            "[tune] no option \"token\", did you mean tokens?; there are tokens, lr, single, gate, "
            "init");
  EXPECT_EQ(refusal("tokens"),
            "[tune] --set has \"tokens\"; expected key=value, such as epochs=10");
}

TEST(Options, FromJsonAreOfTheRightType) {
  Fields fields;
  for (const char* text : {R"({"tokens": 1.5})", R"({"tokens": "4"})", R"({"single": 1})",
                           R"({"gate": "soft"})", R"({"what": 1})", "[1]"}) {
    EXPECT_THROW(fields.list.set_values(nlohmann::json::parse(text), "predict"), Error) << text;
  }
}

}  // namespace
}  // namespace openworld

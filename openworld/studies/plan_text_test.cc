#include "openworld/studies/plan_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "openworld/base/error.h"
#include "openworld/studies/test_studies.h"

namespace openworld {
namespace {

const Origin kOrigin{"study", "plan.toml"};

constexpr auto kPlan = R"(name = "p"
models = ["pocket"]
data = ["a", "b"]
seeds = "1-5"
learners = ["zero-shot", "coop", {name = "gmop", options = {epochs = 20, lr = 0.5}},
            {name = "tcp", options = {epochs = 1}}]
scenarios = [{name = "domain", looks = ["x", "y"]}, "recognition"]

[quick]
data = ["c"]
seeds = [1]
epochs = 3

[published]
learners = ["zero-shot", {name = "gmop", options = {epochs = 100}}]
)";

Plan changed(const PlanChanges& changes) {
  return parse_plan(changed_plan(kPlan, changes, kOrigin), kOrigin);
}

std::vector<std::string> paths(const Plan& plan) {
  std::vector<std::string> names;
  for (const PlanData& entry : plan.data) names.push_back(entry.data.path);
  return names;
}

TEST(PlanText, WithoutChangesItIsTheFile) {
  EXPECT_EQ(changed_plan(kPlan, {}, kOrigin), kPlan);
}

TEST(PlanText, QuickReplacesKeysAndLimitsEpochs) {
  const Plan plan = changed({.quick = true});
  EXPECT_EQ(paths(plan), std::vector<std::string>{"c"});
  EXPECT_EQ(plan.seeds, std::vector<std::int64_t>{1});
  ASSERT_EQ(plan.learners.size(), 4u);
  EXPECT_TRUE(plan.learners[0].sweep.empty()) << "zero-shot has no epochs";
  const auto epochs = [&](std::size_t i) {
    return std::get<std::int64_t>(plan.learners[i].sweep[0].values[0]);
  };
  EXPECT_EQ(epochs(1), 3);
  EXPECT_EQ(epochs(2), 3);
  EXPECT_EQ(std::get<double>(plan.learners[2].sweep[1].values[0]), 0.5);
  EXPECT_EQ(epochs(3), 1) << "fewer than [quick] says";
}

TEST(PlanText, AModelTakesThePublishedLearners) {
  const Plan plan = changed({.models = {"clip", "other"}});
  ASSERT_EQ(plan.models.size(), 2u);
  EXPECT_EQ(plan.models[1].model.path, "other");
  ASSERT_EQ(plan.learners.size(), 2u);
  EXPECT_EQ(std::get<std::int64_t>(plan.learners[1].sweep[0].values[0]), 100);
  EXPECT_EQ(paths(plan), (std::vector<std::string>{"a", "b"}));
  const Plan quick = changed({.quick = true, .models = {"clip"}});
  EXPECT_EQ(std::get<std::int64_t>(quick.learners[1].sweep[0].values[0]), 3);
}

TEST(PlanText, OtherDataBringItsOwnLooks) {
  EXPECT_EQ(changed({.looks = {"z", "w"}}).scenarios[0].scenario.looks, "z,w");
  EXPECT_EQ(changed({.quick = true}).scenarios[0].scenario.looks, "x,y");
  const std::string text = changed_plan(kPlan, {.data = {"mine"}}, kOrigin);
  EXPECT_EQ(text.find("looks"), std::string::npos) << "those of the plan are of other data";
  EXPECT_EQ(paths(parse_plan(text, kOrigin)), std::vector<std::string>{"mine"});
  EXPECT_EQ(changed({.data = {"mine"}, .looks = {"z"}}).scenarios[0].scenario.looks, "z");
}

TEST(PlanText, Refusals) {
  const auto refused = [](const std::string& text, const PlanChanges& changes) {
    try {
      changed_plan(text, changes, kOrigin);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const std::string plain = "models = [\"m\"]\ndata = [\"d\"]\nlearners = [\"coop\"]\n";
  EXPECT_EQ(refused(plain, {.quick = true}),
            "[study] plan.toml: has no [quick] table, which --quick takes");
  EXPECT_EQ(refused(plain, {.targets = {"t"}}),
            "[study] plan.toml: no scenario of the plan has targets");
  EXPECT_EQ(
      refused(plain + "[quick]\nseed = 1\n", {.quick = true}),
      "[study] plan.toml: line 5: unknown key \"seed\"; did you mean seeds? There are models, "
      "data, scenarios, learners, shots, seeds, epochs");
  EXPECT_EQ(refused(plain + "[quick]\nepochs = 0\n", {.quick = true}),
            "[study] plan.toml: line 5: epochs is 0; expected a whole number from 1 on");
  EXPECT_EQ(refused("quick = 1\n" + plain, {.quick = true}),
            "[study] plan.toml: line 1: quick is 1; expected a table");
}

TEST(BundledPlans, HaveDescriptionsAndQuickAndPublishedVariants) {
  const std::vector<BundledPlan> plans = bundled_plans("test");
  std::vector<std::string> names;
  for (const BundledPlan& plan : plans) {
    names.push_back(plan.name);
    EXPECT_FALSE(plan.description.empty()) << plan.name;
    EXPECT_FALSE(plan.source.empty()) << plan.name;
    const std::string all = read_plan_text(plan.name, {}, "test").text;
    const std::string quick = read_plan_text(plan.name, {.quick = true}, "test").text;
    const std::string published = read_plan_text(plan.name, {.models = {"m"}}, "test").text;
    EXPECT_NE(quick, all) << plan.name;
    EXPECT_NE(published, all) << plan.name;
  }
  const auto at = [&](const char* name) { return std::ranges::find(names, name) - names.begin(); };
  EXPECT_LT(at("openworld:table2"), at("openworld:table10")) << "numbers by value";
  EXPECT_LT(at("openworld:table10"), std::ssize(names));
}

TEST(BundledPlans, NamesThatDoNotExistAreRefused) {
  try {
    read_plan_text("openworld:table22", {}, "study");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean openworld:table2?"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace openworld

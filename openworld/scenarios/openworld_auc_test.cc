// The scenarios of the OpenworldAUC paper: recognition, imbalance, ratio, domain, cross-dataset.

#include <map>

#include "openworld/scenarios/test_scenarios.h"

namespace openworld {
namespace {

using namespace testing;

const ClassSizes kFive = {{"cat", 30}, {"dog", 4}, {"owl", 11}, {"?", 3}, {"yak", 25}, {"eel", 1}};

// How many images each name has, on its side.
std::map<std::string, std::size_t> images_of(const ScenarioData& data, const View& view,
                                             Side side) {
  std::map<std::string, std::size_t> counts;
  const Names names = side == Side::kBase ? base_names(data, view) : new_names(data, view);
  for (const ViewImage& image : view.images) {
    if (image.side == side) ++counts[names[static_cast<std::size_t>(image.label)]];
  }
  return counts;
}

using Counts = std::map<std::string, std::size_t>;

TEST(Recognition, IsTheWholeTestSplit) {
  const ScenarioData data = with_source(kFive);
  const ScenarioPlan plan = plan_of("recognition", data);
  EXPECT_EQ(plan.train.base, 3u);
  EXPECT_EQ(plan.train.order, (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(plan.views.size(), 1u);
  const View& view = plan.views[0];
  EXPECT_EQ(base_names(data, view), (Names{"cat", "dog", "owl"}));
  EXPECT_EQ(new_names(data, view), (Names{"yak", "eel"}));
  EXPECT_EQ(view.images.size(), data.tests[0].data.samples.size());
  EXPECT_EQ(count_images(view).unknown_images, 3u);
  EXPECT_EQ(images_of(data, view, Side::kNew), (Counts{{"yak", 25}, {"eel", 1}}));
}

TEST(Recognition, TakesANumberOfBaseClasses) {
  const ScenarioData data = with_source(kFive);
  EXPECT_EQ(plan_of("recognition", data, 1, {"base=4"}).views[0].base.size(), 4u);
  EXPECT_TRUE(plan_of("recognition", data, 1, {"base=all"}).views[0].new_classes.empty());
  EXPECT_ERROR(plan_of("recognition", data, 1, {"base=6"}),
               "[recognition] base is '6'; expected all, half, or 1 to 5");
}

TEST(Imbalance, ThinsEveryClassOfOneSide) {
  const ScenarioData data = with_source(kFive);
  const ScenarioPlan plan = plan_of("imbalance", data);
  ASSERT_EQ(plan.views.size(), 2u);
  const View &forward = plan.views[0], &backward = plan.views[1];
  EXPECT_EQ(forward.level, "forward");
  EXPECT_EQ(images_of(data, forward, Side::kBase), (Counts{{"cat", 30}, {"dog", 4}, {"owl", 11}}));
  EXPECT_EQ(images_of(data, forward, Side::kNew), (Counts{{"yak", 5}, {"eel", 1}}));
  EXPECT_EQ(images_of(data, backward, Side::kBase), (Counts{{"cat", 6}, {"dog", 1}, {"owl", 2}}));
  EXPECT_EQ(images_of(data, backward, Side::kNew), (Counts{{"yak", 25}, {"eel", 1}}));
  for (const View& view : plan.views) EXPECT_EQ(count_images(view).unknown_images, 3u);
}

TEST(Imbalance, IsTwoLevelsOfTheRatioSweep) {
  const ScenarioData data = with_source(kFive);
  const ScenarioPlan imbalance = plan_of("imbalance", data, 4);
  const ScenarioPlan ratio = plan_of("ratio", data, 4, {"levels=5,0.2"});
  EXPECT_EQ(imbalance.views[0].images, ratio.views[1].images);
  EXPECT_EQ(imbalance.views[1].images, ratio.views[0].images);
}

TEST(Imbalance, RefusesOneSide) {
  EXPECT_ERROR(plan_of("imbalance", with_source(kFive), 1, {"base=all"}),
               "[imbalance] source: all 5 classes are base; expected new ones, too");
  EXPECT_ERROR(plan_of("imbalance", with_source(kFive), 1, {"factor=0"}), "factor");
}

TEST(Ratio, IsNestedOnBothSidesOfOne) {
  const ScenarioData data = with_source(kFive);
  const ScenarioPlan plan = plan_of("ratio", data);
  ASSERT_EQ(plan.views.size(), 10u);
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    const View& view = plan.views[i];
    const bool thins_base = *view.t > 1;
    EXPECT_EQ(count_images(view).base_images == 45, !thins_base) << view.level;
    EXPECT_EQ(count_images(view).new_images == 26, *view.t >= 1) << view.level;
    if (i == 0) continue;
    // From 10 down to 1 base images join, from 1 down to 0.1 new ones leave.
    const auto before = shown(data, plan.views[i - 1]), now = shown(data, view);
    EXPECT_TRUE(*view.t >= 1 ? is_subset(before, now) : is_subset(now, before)) << view.level;
  }
  EXPECT_EQ(plan.views[4].images, plan_of("recognition", data).views[0].images);
}

TEST(Ratio, CountsAsDecimalNumbers) {
  const ScenarioData data = with_source({{"cat", 90}, {"dog", 90}});
  // In floating point 0.7 * 90 is 62.99...
  EXPECT_EQ(count_images(plan_of("ratio", data, 1, {"levels=0.7"}).views[0]).new_images, 63u);
  EXPECT_EQ(count_images(plan_of("ratio", data, 1, {"levels=3"}).views[0]).base_images, 30u);
  EXPECT_EQ(count_images(plan_of("ratio", data, 1, {"levels=0.7", "draws=published"}).views[0])
                .new_images,
            62u);
}

TEST(Ratio, RefusesLevels) {
  EXPECT_ERROR(plan_of("ratio", with_source(kFive), 1, {"levels=1,0"}), "[ratio] level \"0\"");
}

TEST(Domain, TakesSidesFromTheSource) {
  const ScenarioData data = with_source(
      kFive,
      {dataset("art", {{"yak", 2}, {"?", 1}, {"Owl", 3}, {"a cat", 4}}), dataset("all", kFive)});
  const ScenarioPlan plan = plan_of("domain", data);
  ASSERT_EQ(plan.views.size(), 2u);
  const View& art = plan.views[0];
  EXPECT_EQ(art.world, "art");
  EXPECT_EQ(base_names(data, art), (Names{"cat", "owl"}));
  EXPECT_EQ(new_names(data, art), (Names{"yak"}));
  EXPECT_EQ(images_of(data, art, Side::kBase), (Counts{{"cat", 4}, {"owl", 3}}));
  EXPECT_EQ(images_of(data, art, Side::kNew), (Counts{{"yak", 2}}));
  EXPECT_EQ(count_images(art).unknown_images, 1u);
  EXPECT_TRUE(samples_of(art, 0).empty());
  EXPECT_FALSE(art.train_columns);
  EXPECT_EQ(plan.views[1].images.size(), data.tests[2].data.samples.size());
  EXPECT_EQ(plan.views[1].new_classes.size(), 2u);
  EXPECT_TRUE(plan_of("domain", data, 1, {"columns=train"}).views[0].train_columns);
}

TEST(Domain, LeavesOutNamesWithoutImages) {
  const ScenarioData data =
      with_source(kFive, {dataset("art", {{"cat", 1}, {"dog", 0}, {"eel", 2}})});
  EXPECT_EQ(base_names(data, plan_of("domain", data).views[0]), (Names{"cat"}));
}

TEST(Domain, RefusesClassesThatTheSourceHasNot) {
  EXPECT_ERROR(plan_of("domain", with_source(kFive, {dataset("art", {{"cow", 2}})})),
               "[domain] art: class \"cow\" is not in source");
  ScenarioData unnamed = with_source(kFive, {dataset("art", {{"0", 2}})});
  unnamed.tests[1].data.named = false;
  EXPECT_ERROR(plan_of("domain", unnamed), "[domain] art: the classes have no names");
}

TEST(CrossDataset, IsTheBaseOfTheSourceAgainstTheRestOfTheTarget) {
  const ScenarioData data = with_source(
      kFive, {dataset("fruit", {{"The_Owl", 5}, {"fig", 3}, {"yak", 2}, {"plum", 4}, {"?", 1}})});
  const View view = plan_of("cross-dataset", data, 1, {"remove=Plum"}).views[0];
  EXPECT_EQ(view.world, "fruit");
  EXPECT_EQ(base_names(data, view), (Names{"cat", "dog", "owl"}));
  // A yak is new in the source, too.
  EXPECT_EQ(new_names(data, view), (Names{"fig", "yak"}));
  EXPECT_EQ(images_of(data, view, Side::kBase), (Counts{{"cat", 30}, {"dog", 4}, {"owl", 11}}));
  EXPECT_EQ(images_of(data, view, Side::kNew), (Counts{{"fig", 3}, {"yak", 2}}));
  EXPECT_EQ(count_images(view).unknown_images, 0u);
  EXPECT_EQ(view.removed, (std::vector<RemovedClass>{{1, 0, "owl"}, {1, 3, ""}}));
  for (const ViewClass& name : view.new_classes) EXPECT_EQ(name.templates, 1u);
  for (const ViewClass& name :
       plan_of("cross-dataset", data, 1, {"templates=source"}).views[0].new_classes) {
    EXPECT_EQ(name.templates, 0u);
  }
}

TEST(CrossDataset, Refuses) {
  const ScenarioData data = with_source(kFive, {dataset("pets", {{"cat", 5}, {"dog", 3}})});
  EXPECT_ERROR(plan_of("cross-dataset", data),
               "[cross-dataset] pets: all 2 classes are base classes of source or removed");
  const ScenarioData fruit = with_source(kFive, {dataset("fruit", {{"fig", 5}, {"plum", 3}})});
  EXPECT_ERROR(
      plan_of("cross-dataset", fruit, 1, {"remove=plums"}),
      "no target has the class \"plums\" that is to be removed; expected a class of a target, "
      "did you mean \"plum\"?");
  ScenarioData unnamed = fruit;
  unnamed.tests[1].data.named = false;
  EXPECT_ERROR(plan_of("cross-dataset", unnamed),
               "[cross-dataset] fruit: the classes have no names");
}

}  // namespace
}  // namespace openworld

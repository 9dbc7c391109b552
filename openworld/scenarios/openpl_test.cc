// The scenarios of OpenPL: emerging, varying-ratio, shift, co-evolution.

#include "openworld/scenarios/test_scenarios.h"

namespace openworld {
namespace {

using namespace testing;

// Eleven classes, so that there are six base and five new ones.
const ClassSizes kEleven = {{"cat", 3},  {"dog", 14}, {"owl", 11}, {"?", 3},
                            {"yak", 25}, {"eel", 1},  {"cow", 9},  {"ant", 2},
                            {"bee", 6},  {"elk", 8},  {"hen", 7},  {"fox", 4}};

std::vector<std::size_t> base_counts(const ScenarioPlan& plan) {
  std::vector<std::size_t> counts;
  for (const View& view : plan.views) counts.push_back(view.base.size());
  return counts;
}

std::vector<std::size_t> new_counts(const ScenarioPlan& plan) {
  std::vector<std::size_t> counts;
  for (const View& view : plan.views) counts.push_back(view.new_classes.size());
  return counts;
}

using Sizes = std::vector<std::size_t>;

// Every test image of a class with a name is shown, and no other.
void expect_all_images(const ScenarioData& data, const View& view) {
  std::set<std::string> names;
  for (const std::string& name : base_names(data, view)) names.insert(name);
  for (const std::string& name : new_names(data, view)) names.insert(name);
  std::size_t images = 0;
  for (const auto& [name, size] : kEleven) {
    if (names.contains(name)) images += static_cast<std::size_t>(size);
  }
  EXPECT_EQ(view.images.size(), images);
  EXPECT_EQ(count_images(view).unknown_images, 0u);
}

TEST(Emerging, AddsNewClassesToTheBase) {
  const ScenarioData data = with_source(kEleven);
  const ScenarioPlan plan = plan_of("emerging", data, 7);
  EXPECT_EQ(plan.train.base, 6u);
  EXPECT_EQ(base_counts(plan), (Sizes{6, 6, 6, 6, 6, 6}));
  EXPECT_EQ(new_counts(plan), (Sizes{0, 1, 2, 4, 5, 5}));  // of 0, 1.2, 2.4, 3.6, 4.8, 6
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    expect_all_images(data, plan.views[i]);
    if (i == 0) continue;
    EXPECT_EQ(base_names(data, plan.views[i]), base_names(data, plan.views[0]));
    EXPECT_TRUE(is_prefix(new_names(data, plan.views[i - 1]), new_names(data, plan.views[i])));
    EXPECT_TRUE(is_subset(shown(data, plan.views[i - 1]), shown(data, plan.views[i])));
  }
  Names tuned;
  for (std::size_t i = 0; i < plan.train.base; ++i) {
    tuned.push_back(data.train.data.classes[static_cast<std::size_t>(plan.train.order[i])]);
  }
  EXPECT_EQ(base_names(data, plan.views[0]), tuned);
}

TEST(Emerging, DrawsOtherClassesWithOtherSeeds) {
  const ScenarioData data = with_source(kEleven);
  std::set<std::int32_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    first.insert(plan_of("emerging", data, seed).train.order[0]);
  }
  EXPECT_EQ(first.size(), 11u);
}

TEST(Emerging, RefusesLevels) {
  EXPECT_ERROR(plan_of("emerging", with_source(kEleven), 1, {"levels=0,2"}),
               "[emerging] level \"2\" of \"0,2\"; expected numbers from 0 to 1");
}

TEST(VaryingRatio, ReplacesBaseClasses) {
  const ScenarioData data = with_source(kEleven);
  const ScenarioPlan plan = plan_of("varying-ratio", data, 7);
  EXPECT_EQ(base_counts(plan), (Sizes{6, 5, 4, 2, 1, 0}));
  EXPECT_EQ(new_counts(plan), (Sizes{0, 1, 2, 4, 5, 5}));
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    expect_all_images(data, plan.views[i]);
    if (i == 0) continue;
    EXPECT_TRUE(is_prefix(base_names(data, plan.views[i]), base_names(data, plan.views[i - 1])));
    EXPECT_TRUE(is_prefix(new_names(data, plan.views[i - 1]), new_names(data, plan.views[i])));
  }
  const ScenarioPlan emerging = plan_of("emerging", data, 7);
  EXPECT_EQ(plan.train, emerging.train);
  EXPECT_EQ(plan.views[0].images, emerging.views[0].images);
}

TEST(Shift, MixesSharesOfBothPools) {
  // The pool of the source is dog and owl, 25 images, the look's has 60.
  const ScenarioData data =
      with_source(kEleven, {dataset("art", {{"Owl", 41}, {"dog", 19}, {"?", 4}})});
  const ScenarioPlan plan = plan_of("shift", data, 3);
  EXPECT_EQ(plan.train.base, 11u);
  const Sizes of_source = {25, 20, 15, 10, 5, 0}, of_look = {0, 12, 24, 36, 48, 60};
  ASSERT_EQ(plan.views.size(), 6u);
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    const View& view = plan.views[i];
    EXPECT_EQ(base_names(data, view), (Names{"dog", "owl"}));
    EXPECT_TRUE(view.new_classes.empty());
    EXPECT_EQ(samples_of(view, 0).size(), of_source[i]);
    EXPECT_EQ(samples_of(view, 1).size(), of_look[i]);
    if (i == 0) continue;
    EXPECT_TRUE(is_subset(shown(data, view, "source:"), shown(data, plan.views[i - 1], "source:")));
    EXPECT_TRUE(is_subset(shown(data, plan.views[i - 1], "art:"), shown(data, view, "art:")));
  }
}

TEST(Shift, MixesAShareOfImages) {
  const ScenarioData data = with_source(kEleven, {dataset("art", {{"owl", 41}, {"dog", 19}})});
  const ScenarioPlan plan = plan_of("shift", data, 3, {"mixture=share", "templates=own"});
  const Sizes of_look = {0, 5, 10, 15, 20, 25};
  for (std::size_t i = 0; i < plan.views.size(); ++i) {
    EXPECT_EQ(samples_of(plan.views[i], 0).size(), 25 - of_look[i]);
    EXPECT_EQ(samples_of(plan.views[i], 1).size(), of_look[i]);
    EXPECT_EQ(plan.views[i].base[0].templates, 1u);
  }
}

TEST(Shift, DoesNotDependOnOtherLooks) {
  const ScenarioDataset art = dataset("art", {{"owl", 41}, {"dog", 19}});
  const ScenarioDataset toys = dataset("toys", {{"fox", 5}, {"owl", 3}});
  const ScenarioPlan one = plan_of("shift", with_source(kEleven, {art}), 3);
  const ScenarioPlan two = plan_of("shift", with_source(kEleven, {art, toys}), 3);
  ASSERT_EQ(two.views.size(), 12u);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(one.views[i].images, two.views[i].images);
}

const ClassSizes kFruit = {{"fig", 11}, {"Cow", 4}, {"kiwi", 6}, {"plum", 8}, {"a_hen", 3}};

TEST(CoEvolution, TakesTurns) {
  const ScenarioData data = with_source(kEleven, {dataset("fruit", kFruit)});
  const ScenarioPlan plan = plan_of("co-evolution", data, 2);
  EXPECT_EQ(plan.train.base, 9u);  // without cow and hen
  EXPECT_EQ(base_counts(plan), (Sizes{5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(new_counts(plan), (Sizes{0, 1, 2, 3, 4, 5}));
  std::vector<std::string> removed;
  for (const RemovedClass& c : plan.views[0].removed) {
    removed.push_back(data.tests[c.dataset].data.classes[static_cast<std::size_t>(c.label)] + " " +
                      c.shared_with);
  }
  EXPECT_EQ(removed, (Names{"cow Cow", "hen a_hen"}));
  const View &first = plan.views.front(), &last = plan.views.back();
  // Both pools have as many images, those of the smaller one.
  EXPECT_EQ(first.images.size(), last.images.size());
  EXPECT_LE(last.images.size(), 32u);
  for (std::size_t i = 1; i < plan.views.size(); ++i) {
    const View &before = plan.views[i - 1], &view = plan.views[i];
    EXPECT_TRUE(is_prefix(base_names(data, view), base_names(data, before)));
    EXPECT_TRUE(is_prefix(new_names(data, before), new_names(data, view)));
    EXPECT_TRUE(is_subset(shown(data, view, " base "), shown(data, before, " base ")));
    EXPECT_TRUE(is_subset(shown(data, before, " new "), shown(data, view, " new ")));
    for (const ViewClass& name : view.new_classes) EXPECT_EQ(name.templates, 0u);
  }
}

TEST(CoEvolution, TrainsOnWhatNoTargetHas) {
  const ScenarioDataset fruit = dataset("fruit", kFruit),
                        pets = dataset("pets", {{"cat", 9}, {"rat", 3}});
  const ScenarioData data = with_source(kEleven, {fruit, pets});
  const ScenarioPlan plan = plan_of("co-evolution", data, 2, {"levels=0,1"});
  EXPECT_EQ(plan.train.base, 8u);
  EXPECT_EQ(plan.views[2].base.size(), 2u);
  const ScenarioPlan all = plan_of("co-evolution", data, 2, {"levels=0,1", "train=all"});
  EXPECT_EQ(all.train.base, 11u);
  for (const View& view : all.views) {
    const Names names = base_names(data, view);
    const Names unwanted = view.world == "pets" ? Names{"cat"} : Names{"cow", "hen"};
    for (const std::string& name : unwanted) {
      EXPECT_EQ(std::count(names.begin(), names.end(), name), 0) << view.world << name;
    }
  }
}

TEST(CoEvolution, RefusesASourceThatIsInTheTargets) {
  const ScenarioData data = with_source(kEleven, {dataset("zoo", kEleven)});
  EXPECT_ERROR(plan_of("co-evolution", data),
               "[co-evolution] source: 0 of 11 classes are in no target; expected two or more");
  EXPECT_ERROR(plan_of("co-evolution", data, 1, {"train=all"}),
               "[co-evolution] source against zoo: 0 and 11 classes are left");
}

}  // namespace
}  // namespace openworld

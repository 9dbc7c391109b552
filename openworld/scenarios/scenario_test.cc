// What all scenarios have in common, and the parts that they are made of.

#include "openworld/scenarios/scenario.h"

#include <algorithm>
#include <set>

#include "openworld/scenarios/draws.h"
#include "openworld/scenarios/same_names.h"
#include "openworld/scenarios/scenario_data.h"
#include "openworld/scenarios/table.h"
#include "openworld/scenarios/test_scenarios.h"

namespace openworld {
namespace {

using namespace testing;

const ClassSizes kSource = {{"cat", 7}, {"dog", 5}, {"owl", 9}, {"?", 2}, {"yak", 6}, {"eel", 8}};

// Data that every scenario can be made from.
ScenarioData data_for(const ScenarioRow& row) {
  const ScenarioDataset look = dataset("look", {{"owl", 12}, {"cat", 3}, {"eel", 9}});
  const ScenarioDataset target =
      dataset("target", {{"fig", 11}, {"Owl", 4}, {"kiwi", 6}, {"plum", 8}});
  switch (row.others) {
    case OtherDatasets::kNone:
      return with_source(kSource);
    case OtherDatasets::kLooks:
      return with_source(kSource, {look});
    case OtherDatasets::kTargets:
      return with_source(kSource, {target});
  }
  return {};
}

TEST(Scenarios, RowsAreWholeAndTheirDefaultsAreInRange) {
  std::set<std::string_view> names;
  for (const ScenarioRow& row : scenario_rows()) {
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_GE(row.version, 1);
    for (const std::string_view text :
         {row.title, row.description, row.citation, row.levels, row.trained}) {
      EXPECT_FALSE(text.empty()) << row.name;
    }
    EXPECT_FALSE(row.description.ends_with('.')) << row.name;
    Scenario scenario(row.name);
    const OptionValues defaults = scenario.options().values();
    scenario.options().set_values(defaults, "test");
    EXPECT_EQ(scenario.options().values(), defaults);
  }
  EXPECT_EQ(names.size(), 9u);
}

TEST(Scenarios, AreFoundByName) {
  EXPECT_EQ(find_scenario("CrossDataset").name, "cross-dataset");
  EXPECT_EQ(find_scenario("varying_ratio").name, "varying-ratio");
  EXPECT_ERROR(find_scenario("emergin"), "no scenario \"emergin\"; did you mean emerging? There");
}

// Labels are within the names, images in order and once, names once, worlds and levels unique, and
// what is base was tuned on.
TEST(Scenarios, ViewsAreWellFormed) {
  for (const ScenarioRow& row : scenario_rows()) {
    SCOPED_TRACE(row.name);
    const ScenarioData data = data_for(row);
    const ScenarioPlan plan = plan_of(std::string(row.name), data, 3);
    std::vector<std::int32_t> sorted = plan.train.order;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i], static_cast<int>(i));
    EXPECT_EQ(sorted.size(), data.train.data.classes.size());
    const std::set<std::int32_t> tuned(
        plan.train.order.begin(),
        plan.train.order.begin() + static_cast<std::ptrdiff_t>(plan.train.base));
    std::set<std::string> ids;
    for (const View& view : plan.views) {
      EXPECT_TRUE(ids.insert(view.world + " " + view.level).second);
      for (const ViewClass& c : view.base) {
        EXPECT_EQ(c.dataset, 0u);
        EXPECT_TRUE(tuned.contains(c.label));
      }
      for (const ViewClass& c : view.new_classes) {
        EXPECT_FALSE(c.dataset == 0 && tuned.contains(c.label));
      }
      Names names = base_names(data, view);
      const std::vector<std::string> tuned_names = training_dataset(data, plan.train).classes;
      const std::vector<std::size_t> columns = base_columns(plan.train, view);
      ASSERT_EQ(columns.size(), names.size());
      for (std::size_t i = 0; i < columns.size(); ++i) {
        EXPECT_LT(columns[i], plan.train.base);
        EXPECT_EQ(tuned_names[columns[i]], names[i]);
      }
      const Names more = new_names(data, view);
      names.insert(names.end(), more.begin(), more.end());
      EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
      EXPECT_TRUE(std::is_sorted(
          view.images.begin(), view.images.end(), [](const ViewImage& a, const ViewImage& b) {
            return std::pair(a.dataset, a.sample) < std::pair(b.dataset, b.sample);
          }));
      for (const ViewImage& image : view.images) {
        const Dataset& from = data.tests[image.dataset].data;
        const std::int32_t label = from.samples[image.sample].label;
        if (label < 0) {
          EXPECT_EQ(image.side, Side::kUnknown);
          continue;
        }
        const auto& side = image.side == Side::kBase ? view.base : view.new_classes;
        const std::string name = class_names(data, side)[static_cast<std::size_t>(image.label)];
        EXPECT_EQ(name, from.classes[static_cast<std::size_t>(label)]);
      }
      EXPECT_EQ(shown(data, view).size(), view.images.size());
    }
  }
}

TEST(Scenarios, AreDeterministicInTheSeed) {
  for (const ScenarioRow& row : scenario_rows()) {
    SCOPED_TRACE(row.name);
    const ScenarioData data = data_for(row);
    const auto images = [&](std::uint64_t seed) {
      const ScenarioPlan plan = plan_of(std::string(row.name), data, seed);
      std::vector<std::vector<ViewImage>> all;
      for (const View& view : plan.views) all.push_back(view.images);
      return std::pair(plan.train, all);
    };
    EXPECT_EQ(images(1), images(1));
    const bool draws =
        row.name != "recognition" && row.name != "domain" && row.name != "cross-dataset";
    EXPECT_EQ(images(1) == images(2), !draws);
  }
}

TEST(Scenarios, RefuseOtherDatasetsThanTheyTake) {
  EXPECT_ERROR(plan_of("ratio", with_source(kSource, {dataset("look", kSource)})),
               "[ratio] got 1 datasets beside the source; expected none");
  EXPECT_ERROR(plan_of("shift", with_source(kSource)),
               "[shift] got no dataset beside the source; expected one or more");
}

TEST(Scenarios, PutBaseClassesFirstForTraining) {
  const ScenarioData data = with_source(kSource);
  EXPECT_EQ(training_dataset(data, plan_of("recognition", data).train).classes,
            data.train.data.classes);
  const TrainingClasses train = plan_of("emerging", data, 5).train;
  const Dataset ordered = training_dataset(data, train);
  ASSERT_EQ(ordered.samples.size(), data.train.data.samples.size());
  EXPECT_NE(ordered.classes, data.train.data.classes);
  for (std::size_t i = 0; i < ordered.samples.size(); ++i) {
    const Sample &before = data.train.data.samples[i], &after = ordered.samples[i];
    EXPECT_EQ(before.path, after.path);
    ASSERT_EQ(before.label < 0, after.label < 0);
    if (before.label < 0) continue;
    EXPECT_EQ(ordered.classes[static_cast<std::size_t>(after.label)],
              data.train.data.classes[static_cast<std::size_t>(before.label)]);
  }
}

TEST(Scenarios, GiveTheSamplesOfADataset) {
  View view;
  view.images = {
      {.dataset = 0, .sample = 3}, {.dataset = 1, .sample = 2}, {.dataset = 1, .sample = 9}};
  EXPECT_EQ(samples_of(view, 0), (std::vector<std::size_t>{3}));
  EXPECT_EQ(samples_of(view, 1), (std::vector<std::size_t>{2, 9}));
  EXPECT_TRUE(samples_of(view, 2).empty());
}

TEST(Draws, RoundAsDecimalNumbers) {
  EXPECT_EQ(rounded_share(0, 7), 0u);
  EXPECT_EQ(rounded_share(1, 7), 7u);
  EXPECT_EQ(rounded_share(0.5, 7), 4u);
  EXPECT_EQ(rounded_share(0.2, 12), 2u);
  for (std::size_t n = 0; n < 2000; ++n) {
    for (std::size_t tenths = 0; tenths <= 20; ++tenths) {
      const double t = static_cast<double>(tenths) / 20;
      EXPECT_EQ(rounded_share(t, n), (2 * tenths * n + 20) / 40) << t << " of " << n;
      EXPECT_EQ(rounded_share(1 - t, n), (2 * (20 - tenths) * n + 20) / 40) << t << " of " << n;
    }
  }
}

TEST(Draws, PrefixesAreNestedAndStreamsDiffer) {
  const auto all = permutation(100, 1, Draw::kThinning, 4);
  EXPECT_EQ(all, permutation(100, 1, Draw::kThinning, 4));
  EXPECT_NE(all, permutation(100, 2, Draw::kThinning, 4));
  EXPECT_NE(all, permutation(100, 1, Draw::kThinning, 5));
  EXPECT_NE(all, permutation(100, 1, Draw::kClasses, 4));
  std::vector<std::uint32_t> first(all.begin(), all.begin() + 30);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(prefix(100, 30, 1, Draw::kThinning, 4), first);
}

TEST(Draws, ParseLevels) {
  EXPECT_EQ(parse_levels("10, 1,0.5", 0.1, 10, "x"), (std::vector<double>{10, 1, 0.5}));
  for (const char* text : {"", "1,", "1,,2", "11", "0", "one", "1 2", "nan", "inf"}) {
    EXPECT_ERROR(parse_levels(text, 0.1, 10, "x"), "[x] level");
  }
  EXPECT_ERROR(parse_levels("2,1,2", 0.1, 10, "x"), "level 2 twice");
  EXPECT_EQ(parse_times("0,0.25,1", "x"), (std::vector<double>{0, 0.25, 1}));
  EXPECT_ERROR(parse_times("0,1,0.5", "x"), "not in order; expected the smallest first");
  EXPECT_ERROR(parse_times("-0.1,1", "x"), "expected numbers from 0 to 1");
}

TEST(SameNames, AreComparedWithoutCaseMarksAndArticles) {
  for (const char* name : {"hot dog", "Hot_Dog", "a hot-dog", "The  HOT__dog ", "an hot dog"}) {
    EXPECT_EQ(comparable_name(name), "hot dog") << name;
  }
  EXPECT_EQ(comparable_name("theatre"), "theatre");
  EXPECT_EQ(comparable_name("a"), "a");
  EXPECT_EQ(comparable_name("an_"), "an");
  EXPECT_EQ(comparable_name("sauté pan"), "sauté pan");
}

TEST(SameNames, FindTheSourceOfALook) {
  const ScenarioDataset source = dataset("source", {{"cat", 1}, {"dog", 1}, {"owl", 1}});
  const auto labels = [&](const ClassSizes& look) {
    return source_labels(source, dataset("look", look), 2, "domain");
  };
  EXPECT_EQ(labels({{"Owl", 2}, {"a_cat", 1}}), (std::vector<std::int32_t>{2, 0}));
  EXPECT_EQ(labels({{"owl", 2}, {"whale", 0}}), (std::vector<std::int32_t>{2, -1}));
  EXPECT_ERROR(
      labels({{"owl", 1}, {"dogs", 1}}),
      "[domain] look: class \"dogs\" is not in source; expected classes of the source, did "
      "you mean \"dog\"?");
}

TEST(SameNames, MayBeSharedByClassesOfOneSide) {
  const ScenarioDataset source =
      dataset("source", {{"cat", 1}, {"missile", 1}, {"dog", 1}, {"missile", 1}});
  EXPECT_EQ(source_labels(source, source, 2, "domain"), (std::vector<std::int32_t>{0, 1, 2, 3}));
  const ScenarioDataset look = dataset("look", {{"missile", 1}});
  EXPECT_EQ(source_labels(source, look, 4, "shift"), (std::vector<std::int32_t>{1}));
  EXPECT_ERROR(source_labels(source, look, 2, "domain"),
               "is class 1 of source, which is base, and class 3, which is new");
}

TEST(ScenarioData, OpensLooksAndTargetsOfBundledWorlds) {
  const auto names = [](const char* scenario, const ScenarioDataRequest& request) {
    Names result;
    const ScenarioData data = open_scenario_data(find_scenario(scenario), request);
    for (const ScenarioDataset& test : data.tests) result.push_back(test.name);
    return result;
  };
  EXPECT_EQ(names("recognition", {.source = {"doodles:body"}}), (Names{"doodles:body"}));
  EXPECT_EQ(
      names("domain", {.source = {"doodles:body@plain#2"}, .looks = {"chalk", "doodles:body"}}),
      (Names{"doodles:body#2", "doodles:body@chalk#2", "doodles:body"}));
  EXPECT_EQ(names("domain", {.source = {"doodles:body@chalk"}}),
            (Names{"doodles:body@chalk", "doodles:body", "doodles:body@redrawn",
                   "doodles:body@crayon", "doodles:body@cluttered"}));
  EXPECT_EQ(names("cross-dataset", {.source = {"doodles"}, .targets = {"food@chalk", "icons:all"}}),
            (Names{"doodles:all", "doodles:food@chalk", "icons:all"}));
  EXPECT_EQ(default_targets("doodles:all").size(), 10u);
  EXPECT_EQ(default_targets("doodles:all")[0], "doodles:animals@redrawn");
  EXPECT_TRUE(default_looks("some/folder").empty());
  for (const std::string& look : default_looks("icons:animals@game")) {
    EXPECT_FALSE(open_dataset(look).samples.empty()) << look;
  }
  EXPECT_GE(default_looks("icons:animals@game").size(), 5u);
  EXPECT_TRUE(default_looks("icons:animals").empty());
}

TEST(ScenarioData, RefusesWhatDoesNotFit) {
  const auto open = [](const char* scenario, const ScenarioDataRequest& request) {
    open_scenario_data(find_scenario(scenario), request);
  };
  const TrainTestRequest source{"doodles:body"};
  EXPECT_ERROR(open("ratio", {.source = source, .looks = {"chalk"}}),
               "[ratio] got 1 looks; expected the source alone");
  EXPECT_ERROR(open("shift", {.source = source, .targets = {"food", "home"}}),
               "[shift] got 2 targets; expected looks");
  EXPECT_ERROR(open("domain", {.source = source, .looks = {"chalk", "doodles:body@chalk"}}),
               "[domain] doodles:body@chalk is given twice");
  EXPECT_ERROR(open("domain", {.source = source, .looks = {"chak"}}), "chak");
  EXPECT_ERROR(open("domain", {.source = {"icons:animals"}}),
               "[domain] icons:animals has no looks of its own; expected one or more");
}

TEST(ScenarioData, OpensTheTestSplitOfFolders) {
  const TempFolder folder;
  for (const char* path : {"photos/train/cat/1.png", "photos/train/dog/2.png",
                           "photos/test/cat/3.png", "photos/test/dog/4.png", "sketches/dog/5.png",
                           "fruit/val/fig/6.png", "fruit/train/fig/7.png"}) {
    folder.write(path, "x");
  }
  const ScenarioData looks = open_scenario_data(
      find_scenario("shift"), {.source = {folder / "photos"}, .looks = {folder / "sketches"}});
  EXPECT_EQ(looks.tests[1].data.samples[0].path, "dog/5.png");
  const ScenarioData targets =
      open_scenario_data(find_scenario("cross-dataset"),
                         {.source = {folder / "photos"}, .targets = {folder / "fruit"}});
  EXPECT_EQ(targets.tests[1].data.samples[0].path, "fig/6.png");
  EXPECT_EQ(targets.tests[0].data.samples.size(), 2u);
}

}  // namespace
}  // namespace openworld

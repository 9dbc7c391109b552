#include "openworld/worlds/doodle_datasets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "openworld/worlds/templates.h"

namespace openworld {
namespace {

using NameSet = std::set<std::string_view>;

TEST(DoodleDatasets, AreOneOfEverythingAndTenThemes) {
  const auto datasets = doodle_datasets();
  ASSERT_EQ(datasets.size(), 11u);
  EXPECT_EQ(datasets[0].name, "all");
  EXPECT_EQ(datasets[0].classes.size(), 345u);
  EXPECT_TRUE(datasets[0].theme.empty());
  NameSet names;
  for (const DoodleDataset& dataset : datasets) {
    EXPECT_TRUE(names.insert(dataset.name).second) << dataset.name;
    EXPECT_EQ(find_doodle_dataset(dataset.name), &dataset);
    EXPECT_NE(fill(dataset.prompt, "cat"), dataset.prompt) << "no place for the name";
    EXPECT_FALSE(dataset.description.empty());
  }
  EXPECT_EQ(find_doodle_dataset("Animals"), nullptr);
}

TEST(DoodleDatasets, HaveClassesInOrderAndOnce) {
  for (const DoodleDataset& dataset : doodle_datasets()) {
    EXPECT_TRUE(std::ranges::is_sorted(dataset.classes)) << dataset.name;
    EXPECT_EQ(NameSet(dataset.classes.begin(), dataset.classes.end()).size(),
              dataset.classes.size())
        << dataset.name;
  }
}

TEST(DoodleDatasets, ThemesCoverEverythingAndNothingElse) {
  const auto datasets = doodle_datasets();
  NameSet themed;
  for (const DoodleDataset& dataset : datasets.subspan(1)) {
    EXPECT_FALSE(dataset.theme.empty()) << dataset.name;
    EXPECT_GE(dataset.classes.size(), 10u) << dataset.name;
    EXPECT_LE(dataset.classes.size(), 71u) << dataset.name;
    themed.insert(dataset.classes.begin(), dataset.classes.end());
  }
  EXPECT_EQ(themed, NameSet(datasets[0].classes.begin(), datasets[0].classes.end()));
}

}  // namespace
}  // namespace openworld

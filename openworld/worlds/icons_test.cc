#include "openworld/worlds/icons.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <thread>

#include "openworld/io/npz.h"
#include "openworld/io/sha256.h"
#include "openworld/worlds/contact_sheet.h"
#include "openworld/worlds/icon_spec.h"
#include "openworld/worlds/test_worlds.h"
#include "openworld/worlds/world_list.h"

namespace openworld {
namespace {

using testing::contents;
using testing::read_file;
using testing::TempFolder;
using Names = std::vector<std::string>;

std::string parsed(const std::string& text) {
  return parse_icon_spec({"open_dataset", text}).text();
}

TEST(Icons, ThemesDivideTheClasses) {
  const Icons& icons = Icons::get();
  EXPECT_EQ(icons.names().size(), 240u);
  EXPECT_EQ(icons.themes()[0].name, "all");
  std::set<std::int32_t> seen;
  for (std::size_t t = 1; t < icons.themes().size(); ++t) {
    const IconTheme& theme = icons.themes()[t];
    EXPECT_GE(theme.labels.size(), 8u) << theme.name;
    for (const std::int32_t label : theme.labels) EXPECT_TRUE(seen.insert(label).second) << label;
  }
  EXPECT_EQ(seen.size(), icons.names().size());
}

// As docs/icons.md promises.
TEST(Icons, EveryClassHasFourPicturesInEachSplit) {
  const Icons& icons = Icons::get();
  std::map<std::int32_t, std::set<std::size_t>> styles;
  for (std::size_t s = 0; s < kIconSplits.size(); ++s) {
    const IconSplit& split = icons.split(s);
    for (std::size_t label = 0; label < icons.names().size(); ++label) {
      const auto count = std::ranges::count(split.labels, static_cast<std::int32_t>(label));
      EXPECT_GE(count, 4) << icons.names()[label];
      EXPECT_LE(count, 32) << icons.names()[label];
    }
    for (std::size_t i = 0; i < split.labels.size(); ++i) {
      styles[split.labels[i]].insert(icons.style_of(split.sets[i]));
    }
  }
  for (const auto& [label, of_class] : styles) EXPECT_GE(of_class.size(), 3u) << label;
}

TEST(IconSpec, LeavesOutDefaults) {
  EXPECT_EQ(parsed("icons"), "icons:all");
  EXPECT_EQ(parsed("icons@game"), "icons:all@game");
  EXPECT_EQ(parsed("icons:food@twemoji"), "icons:food@twemoji");
  EXPECT_ERROR(parsed("icons:animls"),
               "[open_dataset] icons:animls: no dataset \"animls\"; did you mean animals? There "
               "are all, animals, body, buildings, clothes, devices, food, household, nature, "
               "people, tools, vehicles");
  EXPECT_ERROR(parsed("icons:food@gamey"),
               "no style \"gamey\"; did you mean game? There are emojione, fxemoji, game, glyphs, "
               "health, iconpark, icons8, map, pixel, twemoji, weather, whh");
  EXPECT_ERROR(parsed("icon:food"), "is not a dataset of Icons; expected icons:NAME");
  EXPECT_FALSE(is_icon_spec("icons#2"));
  EXPECT_FALSE(is_icon_spec("icons/food"));
}

TEST(IconFormat, HasSplitsAndATemplate) {
  const Dataset train = open_dataset("icons:animals", {.split = "train"});
  const Dataset test = open_dataset("icons:animals");
  EXPECT_EQ(train.format, "icons");
  EXPECT_EQ(test.split, "test");
  EXPECT_EQ(test.splits, (Names{"train", "test"}));
  EXPECT_EQ(test.templates, "an icon of a {}, a kind of animal.");
  EXPECT_EQ(test.classes.size(), 24u);
  EXPECT_EQ(test.classes, train.classes);
  EXPECT_TRUE(std::ranges::is_sorted(test.samples, {}, &Sample::label));
  std::set<std::string> paths;
  for (const Sample& sample : test.samples) EXPECT_TRUE(paths.insert(sample.path).second);
  EXPECT_ERROR(open_dataset("icons", {.split = "pretrain"}),
               "icons: has no split \"pretrain\"; it has train, test");
}

TEST(IconFormat, StylesDivideThePictures) {
  const Icons& icons = Icons::get();
  for (const char* split : {"train", "test"}) {
    const Dataset all = open_dataset("icons:tools", {.split = split});
    std::size_t sum = 0;
    for (const std::string& style : icons.styles()) {
      const Dataset part = open_dataset("icons:tools@" + style, {.split = split});
      EXPECT_EQ(part.classes, all.classes) << style;
      sum += part.samples.size();
    }
    EXPECT_EQ(sum, all.samples.size());
  }
}

// SHA-256 of all pictures: of the arrays, so that they do not depend on how zlib deflates.
TEST(IconFormat, HasTheSameBytesForEver) {
  const struct {
    const char* split;
    const char* sha256;
  } cases[] = {{"train", "c0616a2404d3e0306d299526eed23db7ec148ecea804da06b9f6266aebbde461"},
               {"test", "dcc5a6287f6a4c59b0b8b47c5425086a73e124d37f5ccef37f6c947a5fca81bf"}};
  for (const auto& [split, expected] : cases) {
    const Dataset dataset = open_dataset("icons", {.split = split});
    std::vector<std::string> seen(3);
    std::vector<std::thread> threads;
    for (std::string& digest : seen) {
      threads.emplace_back([&dataset, &digest] {
        Sha256 hash;
        for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
          hash.update(read_sample(dataset, i).values);
        }
        digest = hex_text(hash.finish());
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& digest : seen) EXPECT_EQ(digest, expected) << split;
  }
}

TEST(IconFormat, ReadsWhatIsDrawn) {
  const Dataset dataset = open_dataset("icons:food", {.split = "train"});
  const std::string png = contents(dataset, 5);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(sample_name(dataset, 5), "icons:food/" + dataset.samples[5].path);
  EXPECT_TRUE(is_bundled_world("icons:food"));
  const TempFolder folder;
  folder.write("icons/cat/1.png", "");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder / "");
  EXPECT_EQ(open_dataset("icons").format, "imagefolder");
  EXPECT_EQ(open_dataset("icons:all").format, "icons");
  std::filesystem::current_path(before);
}

TEST(IconFormat, TakesOtherNames) {
  const TempFolder folder;
  std::string names;
  for (int i = 0; i < 9; ++i) names += "person " + std::to_string(i) + "\n";
  EXPECT_EQ(open_dataset("icons:people", {.names = folder.write("names.txt", names)}).classes[8],
            "person 8");
}

TEST(Icons, RefuseDamagedFiles) {
  const TempFolder folder;
  const std::string path = std::string(OPENWORLD_SOURCE_DIR) + "/data/icons.npz";
  EXPECT_ERROR(Icons(folder / "icons.npz"),
               "[open_icons] " + (folder / "icons.npz") +
                   ": does not exist; expected the bundled pictures, or OPENWORLD_DATA set to the "
                   "folder that holds icons.npz");
  const std::string whole = read_file(path);
  EXPECT_ERROR(Icons(folder.write("a.npz", whole.substr(0, whole.size() / 2))), "a.npz: ");
  EXPECT_ERROR(Icons(folder.write("b.npz", make_npz({}))), "b.npz: has no array names");
  std::string damaged = whole;
  const std::size_t middle = whole.size() / 2;
  damaged[middle] = static_cast<char>(damaged[middle] ^ 1);
  const Icons icons(folder.write("c.npz", damaged));  // in the pixels of train
  for (int i = 0; i < 2; ++i) EXPECT_ERROR(icons.split(0), "zip member \"train.npy\" ");
  EXPECT_EQ(icons.picture(1, 0).rgb, Icons::get().picture(1, 0).rgb);
}

TEST(WorldList, NamesWhatCanBeOpened) {
  for (const World& world : bundled_worlds()) {
    for (const WorldDataset& row : world.datasets) {
      const std::string name = world.name + ":" + row.name;
      const Dataset dataset = open_dataset(name);
      EXPECT_EQ(dataset.classes, row.classes) << name;
      EXPECT_EQ(dataset.templates, row.prompt) << name;
      EXPECT_EQ(dataset.splits, world.splits) << name;
      EXPECT_EQ(parse_world_dataset({"worlds", name}).text, name);
    }
    const NamedDataset example = parse_world_dataset({"worlds", world.example});
    EXPECT_TRUE(example.variant);
    EXPECT_EQ(example.text, world.example);
  }
  EXPECT_ERROR(parse_world_dataset({"worlds", "pets"}), "pets: is not a dataset of a world");
}

TEST(ContactSheet, LeavesOutClassesWithoutPictures) {
  const Dataset weather = open_dataset("icons:nature@weather", {.split = "train"});
  std::set<std::int32_t> shown;
  for (const Sample& sample : weather.samples) shown.insert(sample.label);
  ASSERT_LT(shown.size(), weather.classes.size());
  const Image few = contact_sheet(weather, {.rows = static_cast<int>(shown.size()), .columns = 2});
  const Image all = contact_sheet(weather, {.rows = 345, .columns = 2});
  EXPECT_EQ(few.height, all.height);
}

}  // namespace
}  // namespace openworld

#include "openworld/worlds/drawn_split.h"

#include <algorithm>

#include "openworld/worlds/test_worlds.h"
#include "openworld/worlds/train_test_data.h"

namespace openworld {
namespace {

using testing::TempFolder;

const Origin kOrigin{"test", "pets"};

Dataset with_labels(const std::vector<std::int32_t>& labels, std::size_t classes) {
  Dataset dataset;
  dataset.classes.resize(classes);
  for (const std::int32_t label : labels) dataset.samples.push_back({.path = "", .label = label});
  return dataset;
}

TEST(DrawnSplit, DrawsAFractionOfEachClass) {
  // 20 of class 0, 10 of class 1, 10 of none; one of class 2, two of class 3.
  std::vector<std::int32_t> labels;
  for (int i = 0; i < 40; ++i) labels.push_back(i % 4 == 3 ? -1 : i % 2);
  labels.insert(labels.end(), {2, 3, 3});
  const Dataset dataset = with_labels(labels, 4);
  const auto count = [&](const std::vector<std::size_t>& drawn) {
    std::vector<int> counts(5);
    for (const std::size_t i : drawn) ++counts[static_cast<std::size_t>(labels[i] + 1)];
    return counts;
  };
  const auto drawn = draw_test_samples(dataset, 0.25, 1);
  EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end()));
  EXPECT_EQ(count(drawn), (std::vector<int>{10, 5, 3, 0, 1}));
  EXPECT_EQ(count(draw_test_samples(dataset, 0.99, 1)), (std::vector<int>{10, 19, 9, 0, 1}));
  EXPECT_EQ(count(draw_test_samples(dataset, 0.001, 1)), (std::vector<int>{10, 1, 1, 0, 1}));
  EXPECT_EQ(draw_test_samples(dataset, 0.25, 1), drawn);
  EXPECT_NE(draw_test_samples(dataset, 0.25, 2), drawn);
  // Another class more does not move the others.
  labels.insert(labels.end(), {4, 4});
  auto grown = draw_test_samples(with_labels(labels, 5), 0.25, 1);
  std::erase_if(grown, [](std::size_t i) { return i >= 43; });
  EXPECT_EQ(grown, drawn);
}

TEST(DrawnSplit, HasAName) {
  const auto split = parse_drawn_split("test:0.3#7", kOrigin);
  ASSERT_TRUE(split);
  EXPECT_TRUE(split->test);
  EXPECT_EQ(split->fraction, 0.3);
  EXPECT_EQ(split->seed, 7u);
  EXPECT_EQ(split->name(), "test:0.3#7");
  EXPECT_EQ(parse_drawn_split("train:0.5", kOrigin)->name(), "train:0.5#1");
  for (const char* other : {"", "test", "train", "val:0.3", "tests:0.3"}) {
    EXPECT_FALSE(parse_drawn_split(other, kOrigin)) << other;
  }
  for (const char* wrong : {"test:", "test:1", "test:0", "test:nan", "test:0.3#", "train:0.3#x",
                            "test:0.3 #1", "train:-0.5"}) {
    EXPECT_ERROR(parse_drawn_split(wrong, kOrigin), "with F between 0 and 1");
  }
}

TEST(DrawnSplit, IsASplitOfADatasetWithout) {
  const TempFolder folder;
  for (const char* path : {"a/cat/1.png", "a/cat/2.png", "a/dog/3.png", "a/dog/4.png",
                           "a/unknown/5.png", "s/train/cat/1.png", "s/test/cat/2.png"}) {
    folder.write(path, "x");
  }
  const TrainTest data = open_train_test(
      {.path = folder / "a", .train_split = "train:0.5#3", .test_split = "test:0.5#3"}, "tune");
  EXPECT_EQ(data.train.samples.size(), 2u);
  ASSERT_EQ(data.test.samples.size(), 3u);
  EXPECT_EQ(data.test.samples[2].label, -1);
  EXPECT_FALSE(data.same_images);
  EXPECT_EQ(data.test.split, "test:0.5#3");
  EXPECT_EQ(data.test.format, "imagefolder");
  for (const Sample& test : data.test.samples) {
    for (const Sample& train : data.train.samples) EXPECT_NE(test.path, train.path);
  }
  EXPECT_ERROR(open_dataset(folder / "s", {.split = "test:0.5"}), "has the splits test, train");
  EXPECT_ERROR(open_dataset(folder / "none", {.split = "test:0.5"}), "does not exist");
}

}  // namespace
}  // namespace openworld

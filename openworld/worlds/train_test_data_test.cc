#include "openworld/worlds/train_test_data.h"

#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::samples_of;
using testing::TempFolder;

TEST(TrainTest, OpensTheSplitsOfOneDataset) {
  const TempFolder folder;
  for (const char* path :
       {"train/cat/1.png", "train/dog/2.png", "val/cat/3.png", "val/dog/4.png"}) {
    folder.write(std::string("pets/") + path, "x");
  }
  const TrainTest data = open_train_test({.path = folder / "pets"}, "tune");
  EXPECT_EQ(samples_of(data.train), "0 cat/1.png, 1 dog/2.png");
  EXPECT_EQ(samples_of(data.test), "0 cat/3.png, 1 dog/4.png");
  EXPECT_FALSE(data.same_images);
  EXPECT_TRUE(
      open_train_test({.path = folder / "pets", .test_split = "train"}, "tune").same_images);
  EXPECT_ERROR(open_train_test({.path = folder / "pets", .test_split = "test"}, "tune"), "test");
}

TEST(TrainTest, OpensTwoDatasetsOfTheSameClasses) {
  const TempFolder folder;
  for (const char* path : {"a/cat/1.png", "a/dog/2.png", "b/cat/3.png", "b/dog/4.png",
                           "c/cat/5.png", "c/owl/6.png", "d/cat/7.png"}) {
    folder.write(path, "x");
  }
  const auto open = [&](const char* train, const char* test) {
    return open_train_test({.path = folder / train, .test_path = test[0] ? folder / test : ""},
                           "tune");
  };
  EXPECT_EQ(samples_of(open("a", "b").test), "0 cat/3.png, 1 dog/4.png");
  EXPECT_TRUE(open("a", "a").same_images);
  EXPECT_ERROR(open("a", ""),
               "[tune] " + folder / "a" +
                   " has no splits; draw test images from it with --test-fraction 0.5");
  EXPECT_ERROR(open("a", "c"), "class 1 is \"dog\" in training and \"owl\" in testing");
  EXPECT_ERROR(open("a", "d"), "2 classes in training and 1 in testing");
  EXPECT_ERROR(open("d", "a"), "has 1 class; expected two or more");
}

TEST(TrainTest, SaysHowSplitsAreNamed) {
  const TempFolder folder;
  for (const char* path : {"a/val/cat/1.png", "a/test/cat/2.png", "b/train/cat/3.png",
                           "b/train/dog/4.png", "b/valid/cat/5.png", "b/valid/dog/6.png"}) {
    folder.write(path, "x");
  }
  const auto open = [&](const char* path, const char* test = "") {
    open_train_test({.path = folder / path, .test_path = test[0] ? folder / test : ""}, "tune");
  };
  EXPECT_ERROR(open("a"), "[tune] " + folder / "a" +
                              ": has the splits test, val; name that of the training images with "
                              "--train-split, or train_split=");
  for (const char* test : {"", "b"}) {
    EXPECT_ERROR(open("b", test),
                 "has the splits train, valid; name that of the test images with --test-split, or "
                 "test_split=");
  }
}

// A training split that is there and cannot be opened is not a missing one.
TEST(TrainTest, SaysWhatIsWrongWithTheTrainingSplit) {
  const TempFolder folder;
  for (const char* path : {"a/train/cat/1.txt", "a/test/cat/2.png"}) folder.write(path, "x");
  const std::string error =
      testing::error_of([&] { open_train_test({.path = folder / "a"}, "tune"); });
  EXPECT_EQ(error.find("--train-split"), std::string::npos) << error;
  EXPECT_NE(error, "no Error");
}

TEST(TrainTest, OpensTheFirstSplitThereIs) {
  const TempFolder folder;
  for (const char* path : {"s/train/cat/1.png", "s/val/cat/2.png", "whole/cat/3.png"}) {
    folder.write(path, "x");
  }
  const auto open = [&](const char* path, std::vector<std::string> splits) {
    return samples_of(open_first_split(folder / path, {}, splits));
  };
  EXPECT_EQ(open("s", {"test", "val", "train"}), "0 cat/2.png");
  EXPECT_EQ(open("whole", {"test", "val"}), "0 cat/3.png");
  EXPECT_ERROR(open("s", {"test"}), "test");
  EXPECT_ERROR(open("missing", {"test", "val"}), "missing");
}

}  // namespace
}  // namespace openworld

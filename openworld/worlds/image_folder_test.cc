#include "openworld/worlds/format.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::contents;
using testing::samples_of;
using testing::TempFolder;
using Names = std::vector<std::string>;

TEST(ImageFolder, SortsClassesAndFiles) {
  const TempFolder folder;
  folder.write("dog/b.JPG", "db");
  folder.write("dog/a.png", "da");
  folder.write("dog/deep/c.webp", "dc");
  folder.write("cat/1.jpeg", "c1");
  folder.write("cat/notes.txt", "");
  folder.write("cat/.hidden.jpg", "");
  folder.write(".git/x.jpg", "");
  folder.write("README", "");
  const Dataset dataset = open_dataset(folder / "");
  EXPECT_EQ(dataset.format, "imagefolder");
  EXPECT_EQ(dataset.classes, (Names{"cat", "dog"}));
  EXPECT_EQ(samples_of(dataset), "0 cat/1.jpeg, 1 dog/a.png, 1 dog/b.JPG, 1 dog/deep/c.webp");
  EXPECT_EQ(contents(dataset, 3), "dc");
  EXPECT_EQ(dataset.skipped, 1u);
  EXPECT_TRUE(dataset.splits.empty());
  std::filesystem::remove(folder / "dog/a.png");
  EXPECT_ERROR(read_sample(dataset, 1), "[read_sample] " + (folder / "dog/a.png"));
}

TEST(ImageFolder, TakesNamesFromAFile) {
  const TempFolder folder;
  folder.write("n02/a.jpg", "");
  folder.write("n01/a.jpg", "");
  const std::string list = folder.write("list.txt", "red fox\ngrey wolf\n");
  EXPECT_EQ(open_dataset(folder / "", {.names = list}).classes, (Names{"red fox", "grey wolf"}));
  folder.write("classnames.txt", "n00 ant\nn02 grey wolf\nn01 red fox\n");
  EXPECT_EQ(open_dataset(folder / "").classes, (Names{"red fox", "grey wolf"}));
  const std::string wrong = folder.write("wrong.txt", "one\ntwo\nthree\n");
  EXPECT_ERROR(open_dataset(folder / "", {.names = wrong}),
               "wrong.txt: has 3 names; expected 2, one for each class folder");
  const std::string twins = folder.write("twins.txt", "fox\nfox\n");
  EXPECT_ERROR(open_dataset(folder / "", {.names = twins}),
               "twins.txt: classes 0 and 1 are both named \"fox\"");
  EXPECT_EQ(open_dataset(folder / "", {.names = twins, .allow_duplicate_names = true}).classes,
            (Names{"fox", "fox"}));
}

TEST(ImageFolder, RefusesWhatHasNoImages) {
  const TempFolder folder;
  EXPECT_ERROR(open_dataset(folder / "none"), "[open_dataset] " + (folder / "none") +
                                                  ": does not exist; expected a folder of images");
  EXPECT_ERROR(open_dataset(folder / ""),
               "holds 0 folders, 0 images and 0 other files; expected a "
               "folder for each class");
  folder.write("a.jpg", "");
  folder.write("cat/a.gif", "");
  EXPECT_ERROR(open_dataset(folder / ""),
               "the class folder \"cat\" has no images but 1 other files; "
               "expected .jpg, .jpeg, .png or .webp");
  folder.write("cat/a.jpg", "");
  EXPECT_EQ(samples_of(open_dataset(folder / "")), "0 cat/a.jpg");
  EXPECT_ERROR(open_dataset(folder / "", {.split = "test"}),
               "has no splits, but the split \"test\" was requested");
  EXPECT_ERROR(open_dataset(folder / "cat/a.gif"), "is not a known dataset");
  EXPECT_ERROR(open_dataset(folder / "", {.format = "zip"}),
               "no dataset format \"zip\"; there are doodles, icons, downloads, idx, sheets, "
               "webdataset");
  EXPECT_ERROR(open_dataset(folder / "", {.format = "imgefolder"}), "did you mean imagefolder?");
  EXPECT_ERROR(open_dataset("doodels:food@chalk"),
               "does not exist; did you mean doodles:food@chalk? Expected a folder of images");
  EXPECT_ERROR(open_dataset("fashon-mnist"), "did you mean fashion-mnist? Expected");
}

TEST(ImageFolder, UnknownIsNoClass) {
  const TempFolder folder;
  folder.write("zebra/1.jpg", "");
  folder.write("cat/1.jpg", "");
  folder.write("unknown/deep/x.jpg", "");
  folder.write("unknown/y.png", "");
  const Dataset dataset = open_dataset(folder / "");
  EXPECT_EQ(dataset.classes, (Names{"cat", "zebra"}));
  EXPECT_EQ(samples_of(dataset),
            "0 cat/1.jpg, 1 zebra/1.jpg, -1 unknown/deep/x.jpg, -1 unknown/y.png");
  const std::string names = folder.write("two.txt", "tabby\nquagga\n");
  EXPECT_EQ(open_dataset(folder / "", {.names = names}).classes, (Names{"tabby", "quagga"}));
  folder.write("alone/unknown/1.jpg", "");
  EXPECT_ERROR(open_dataset(folder / "alone"), "expected a folder for each class");
}

TEST(SplitFolders, UnknownIsNoClass) {
  const TempFolder folder;
  folder.write("train/cat/1.jpg", "");
  folder.write("test/cat/2.jpg", "");
  folder.write("test/unknown/3.jpg", "");
  const Dataset test = open_dataset(folder / "", {.split = "test"});
  EXPECT_EQ(test.classes, (Names{"cat"}));
  EXPECT_EQ(samples_of(test), "0 cat/2.jpg, -1 unknown/3.jpg");
  EXPECT_EQ(samples_of(open_dataset(folder / "", {.split = "train"})), "0 cat/1.jpg");
}

TEST(SplitFolders, UnknownBelongsInASplit) {
  const TempFolder folder;
  folder.write("train/cat/1.jpg", "");
  folder.write("test/cat/2.jpg", "");
  folder.write("unknown/3.jpg", "");
  // Not two classes that are called test and train.
  for (const char* split : {"", "test"}) {
    EXPECT_ERROR(open_dataset(folder / "", {.split = split}),
                 "has a folder unknown beside its splits; expected it in the split that it is "
                 "tested with, as test/unknown");
  }
}

TEST(FlatFolder, HasImagesOfNoClass) {
  const TempFolder folder;
  folder.write("b.jpg", "b");
  folder.write("a.png", "a");
  folder.write("notes.txt", "");
  const Dataset dataset = open_dataset(folder / "");
  EXPECT_EQ(dataset.format, "flatfolder");
  EXPECT_EQ(samples_of(dataset), "-1 a.png, -1 b.jpg");
  EXPECT_EQ(contents(dataset, 1), "b");
  EXPECT_TRUE(dataset.classes.empty());
  EXPECT_FALSE(dataset.named);
  EXPECT_EQ(dataset.skipped, 1u);
  const TempFolder other;
  const Dataset named =
      open_dataset(folder / "", {.names = other.write("names.txt", "cat\ndog\n")});
  EXPECT_EQ(named.classes, (Names{"cat", "dog"}));
  EXPECT_TRUE(named.named);
  EXPECT_ERROR(open_dataset(folder / "", {.split = "test"}), "has no splits, but the split");
  EXPECT_ERROR(open_dataset(other / "", {.format = "flatfolder"}), "expected images in .jpg");
}

TEST(SplitFolders, LabelsAgreeBetweenSplits) {
  const TempFolder folder;
  folder.write("train/cat/1.jpg", "");
  folder.write("train/dog/1.jpg", "");
  folder.write("train/fox/1.jpg", "");
  folder.write("test/fox/2.jpg", "f");
  folder.write("test/dog/2.jpg", "d");
  const Dataset test = open_dataset(folder / "", {.split = "test"});
  EXPECT_EQ(test.format, "splitfolders");
  EXPECT_EQ(test.classes, (Names{"cat", "dog", "fox"}));
  EXPECT_EQ(samples_of(test), "1 dog/2.jpg, 2 fox/2.jpg");
  EXPECT_EQ(contents(test, 1), "f");
  EXPECT_EQ(test.splits, (Names{"test", "train"}));
  EXPECT_ERROR(open_dataset(folder / "", {.split = "val"}),
               "has no split \"val\"; it has test, train");
  EXPECT_ERROR(open_dataset(folder / ""),
               "has the splits test, train; name one with --split, or split=");
  // Beside other classes, "train" and "test" are classes.
  folder.write("bus/1.jpg", "");
  EXPECT_EQ(open_dataset(folder / "").classes, (Names{"bus", "test", "train"}));
}

TEST(DatasetFormats, AreDescribed) {
  EXPECT_EQ(dataset_formats().size(), 13u);
  for (const DatasetFormat* format : dataset_formats()) {
    EXPECT_NE(std::string(format->looks_like), "") << format->name;
  }
}

}  // namespace
}  // namespace openworld

// The checks of datasets: folders, lists, and images that occur twice.

#include "openworld/doctor/test_doctor.h"

namespace openworld {
namespace {

using testing::found_by;
using testing::has_text;
using testing::TempFolder;

// Four classes with an image each in two splits; every file has bytes of its own.
Patient splits(const TempFolder& folder, const std::string& changed = "",
               const std::string& bytes = "") {
  for (const std::string split : {"train", "test"}) {
    for (const std::string name : {"bus", "cat", "cup", "dog"}) {
      folder.write(split + "/" + name + "/1.png", "the " + split + " image of a " + name);
    }
  }
  if (!changed.empty()) folder.write(changed, bytes);
  return open_patient(folder / ".", {});
}

TEST(DuplicateImages, NoneAmongFilesOfTheirOwn) {
  const TempFolder folder;
  EXPECT_EQ(found_by(splits(folder), "duplicate-images"), "");
}

TEST(DuplicateImages, InTwoSplits) {
  const TempFolder folder;
  const std::string found =
      found_by(splits(folder, "test/cat/2.png", "the train image of a cat"), "duplicate-images");
  EXPECT_TRUE(has_text(found, "1 pair of identical images of different splits")) << found;
  EXPECT_TRUE(has_text(found, "cat/2.png (test)")) << found;
  EXPECT_TRUE(has_text(found, "cat/1.png (train)")) << found;
}

TEST(DuplicateImages, OnTwoSides) {
  const TempFolder folder;
  // Half of the classes are base: bus and cat.
  const std::string found =
      found_by(splits(folder, "train/dog/2.png", "the train image of a cat"), "duplicate-images");
  EXPECT_TRUE(has_text(found, "of different sides")) << found;
  EXPECT_TRUE(has_text(found, "(base)")) << found;
  EXPECT_TRUE(has_text(found, "(new)")) << found;
}

TEST(DuplicateImages, OfTwoClassesOfOneSide) {
  const TempFolder folder;
  EXPECT_TRUE(has_text(
      found_by(splits(folder, "train/bus/2.png", "the train image of a cat"), "duplicate-images"),
      "of different classes of one side"));
  EXPECT_EQ(
      found_by(splits(folder, "train/bus/2.png", "the train image of a bus"), "duplicate-images"),
      "")
      << "twice in one class of one split is no leak";
}

TEST(DuplicateImages, ReportsHowManyAreRead) {
  const TempFolder folder;
  splits(folder, "test/cat/2.png", "the train image of a cat");
  std::size_t done = 0, total = 0;
  DoctorOptions options;
  options.on_image = [&](std::size_t a, std::size_t b) { done = std::max(done, a), total = b; };
  found_by(open_patient(folder / ".", options), "duplicate-images");
  EXPECT_EQ(done, total);
  EXPECT_GE(total, 2u) << "files of equal size";
}

// A list may name one file of 9 MB a hundred thousand times.
TEST(DuplicateImages, ReadsAFileOnce) {
  const TempFolder folder;
  folder.write("a.png", "a");
  const std::string list = folder.write("list.txt", "a.png 0\n./a.png 1\na.png 1\n.//a.png 1\n");
  std::size_t total = 0;
  DoctorOptions options;
  options.on_image = [&](std::size_t, std::size_t b) { total = b; };
  const std::string found = found_by(open_patient(list, options), "duplicate-images");
  EXPECT_EQ(total, 1u);
  EXPECT_TRUE(has_text(found, "3 pairs of identical images")) << found;
}

TEST(NamesOrder, FitsTheFolders) {
  const TempFolder folder;
  EXPECT_EQ(found_by(splits(folder), "names-order"), "");
  // By sorted folder: bus, cat, cup, dog.
  DoctorOptions options;
  options.data.names = folder.write("names.txt", "cat\nbus\ncup\ndog\n");
  const std::string found = found_by(open_patient(folder / ".", options), "names-order");
  EXPECT_TRUE(has_text(found, "2 classes have their images in folders with the names of others"))
      << found;
  EXPECT_TRUE(has_text(found, "class 0, \"cat\", is in the folder \"bus\"")) << found;
  // Other words for the same classes say nothing of the order.
  options.data.names = folder.write("words.txt", "coach\ntom\nmug\nhound\n");
  EXPECT_EQ(found_by(open_patient(folder / ".", options), "names-order"), "");
}

TEST(ImagesGone, AreThoseOfALineWithoutAFile) {
  const TempFolder folder;
  folder.write("a.png", "a");
  folder.write("b.png", "b");
  const std::string list = folder.write("list.txt", "a.png 0\nb.png 1\n");
  EXPECT_EQ(found_by(open_patient(list, {}), "images-gone"), "");
  folder.write("list.txt", "a.png 0\nb.png 1\ngone.png 1\n");
  const Patient sick = open_patient(list, {});
  const std::string found = found_by(sick, "images-gone");
  EXPECT_TRUE(has_text(found, "1 of 3 images are gone")) << found;
  EXPECT_TRUE(has_text(found, "/gone.png")) << found;
  EXPECT_EQ(found_by(sick, "duplicate-images"), "");
}

TEST(EqualNames, DatasetsWithThemAreOpened) {
  const TempFolder folder;
  splits(folder);
  DoctorOptions options;
  options.data.names = folder.write("names.txt", "cat\ncat\ncup\ndog\n");
  EXPECT_TRUE(has_text(found_by(open_patient(folder / ".", options), "equal-names"), "\"cat\""));
}

}  // namespace
}  // namespace openworld

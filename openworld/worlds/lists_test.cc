// Datasets given by lists: CoOp's JSON, OpenOOD's image lists, CSV.

#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::contents;
using testing::samples_of;
using testing::TempFolder;
using Names = std::vector<std::string>;

const char* const kSplit = R"({
  "train": [["a/1.jpg", 0, "red_fox"], ["b/1.jpg", 1, "wolf"]],
  "val": [],
  "test": [["b/2.jpg", 1, "wolf"]]})";

TEST(CoopSplit, FindsTheImagesBesideTheList) {
  const TempFolder folder;
  folder.write("pets/images/a/1.jpg", "a1");
  folder.write("pets/images/b/2.jpg", "b2");
  folder.write("pets/annotations/x.txt", "");
  const std::string path = folder.write("pets/split_zhou_Pets.json", kSplit);
  for (const std::string& given : {path, folder / "pets"}) {
    const Dataset test = open_dataset(given, {.split = "test"});
    EXPECT_EQ(test.format, "coop");
    EXPECT_EQ(test.classes, (Names{"red_fox", "wolf"}));
    EXPECT_EQ(samples_of(test), "1 b/2.jpg");
    EXPECT_EQ(contents(test, 0), "b2");
    EXPECT_EQ(test.splits, (Names{"train", "test"}));
  }
  const Dataset given =
      open_dataset(path, {.split = "train", .image_root = folder / "pets/images"});
  EXPECT_EQ(samples_of(given), "0 a/1.jpg, 1 b/1.jpg");
  EXPECT_ERROR(open_dataset(path), "has the splits train, test; expected the name of one");
  EXPECT_ERROR(open_dataset(path, {.split = "val"}), "has no split \"val\"; it has train, test");
  EXPECT_ERROR(open_dataset(path, {.split = "test", .image_root = folder / "pets"}),
               "the image \"a/1.jpg\" is not in " + (folder / "pets"));
  folder.write("pets/split_zhou_Other.json", kSplit);
  EXPECT_ERROR(open_dataset(folder / "pets", {.split = "test"}), "holds 2 split_zhou_*.json files");
}

TEST(CoopSplit, RefusesDamagedLists) {
  const TempFolder folder;
  folder.write("a/1.jpg", "");
  const auto open = [&](const std::string& train) {
    const std::string path =
        folder.write("split_zhou_X.json", R"({"train": )" + train + R"(, "val": [], "test": []})");
    return open_dataset(path, {.split = "train"});
  };
  EXPECT_EQ(samples_of(open(R"([["a/1.jpg", 0, "x"]])")), "0 a/1.jpg");
  EXPECT_ERROR(open("["), "is not valid JSON");
  EXPECT_ERROR(open("7"), "has no list train; expected train, val and test");
  EXPECT_ERROR(open("[]"), "lists no images");
  EXPECT_ERROR(open(R"([["a/1.jpg", "0", "x"]])"),
               R"(train[0] is "[\"a/1.jpg\",\"0\",\"x\"]"; expected [path, label, class name])");
  EXPECT_ERROR(open(R"([["a/1.jpg", 0]])"), "expected [path, label, class name]");
  EXPECT_ERROR(open(R"([["a/1.jpg", -2, "x"]])"), "train[0] has label -2; expected 0, 1, ...");
  EXPECT_ERROR(open(R"([["a/1.jpg", 0, "x"], ["a/1.jpg", 2, "z"]])"),
               "has the label 2 but not 1; expected labels from 0 on without a gap");
  EXPECT_ERROR(open(R"([["a/1.jpg", 0, "x"], ["a/1.jpg", 0, "y"]])"),
               "train[1] names class 0 \"y\", which was \"x\" before");
  EXPECT_ERROR(open(R"([["a/1.jpg", 0, "x"], ["a/1.jpg", 1, "x"]])"),
               "classes 0 and 1 are both named \"x\"");
  EXPECT_ERROR(open(R"([["b/1.jpg", 0, "x"]])"), "the image \"b/1.jpg\" is not in ");
  EXPECT_ERROR(open_dataset(folder.write("split_zhou_X.json", "[]"), {.split = "train"}),
               "is not a JSON object");
}

TEST(ImageList, ReadsPathsAndLabels) {
  const TempFolder folder;
  folder.write("images/cifar/cat 1.png", "c");
  folder.write("images/cifar/dog.png", "d");
  const std::string path = folder.write("lists/cifar/test.txt",
                                        "cifar/cat 1.png 0\r\n\ncifar/dog.png 1\ncifar/x.png -1");
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.format, "imglist");
  EXPECT_EQ(samples_of(dataset), "0 cifar/cat 1.png, 1 cifar/dog.png, -1 cifar/x.png");
  EXPECT_EQ(contents(dataset, 1), "d");
  EXPECT_EQ(dataset.classes, (Names{"0", "1"}));
  EXPECT_FALSE(dataset.named);

  const std::string names = folder.write("names.json", R"(["cat", "dog", "fox"])");
  const Dataset named = open_dataset(path, {.image_root = folder / "images", .names = names});
  EXPECT_EQ(named.classes, (Names{"cat", "dog", "fox"}));
  EXPECT_TRUE(named.named);
  const std::string few = folder.write("few.txt", "cat\n");
  EXPECT_ERROR(open_dataset(path, {.names = few}), "has the label 1, but " + few + " has only 1");
}

TEST(ImageList, TakesUnknownImagesOnly) {
  const TempFolder folder;
  folder.write("a.jpg", "");
  const Dataset dataset = open_dataset(folder.write("ood.txt", "a.jpg -1\n"));
  EXPECT_EQ(samples_of(dataset), "-1 a.jpg");
  EXPECT_TRUE(dataset.classes.empty());
}

TEST(ImageList, RefusesDamagedLines) {
  const TempFolder folder;
  folder.write("a.jpg", "");
  const auto open = [&](const std::string& text) {
    return open_dataset(folder.write("list.txt", text));
  };
  EXPECT_ERROR(open("a.jpg 0\na.jpg\n"), "line 2 is \"a.jpg\"; expected a path and a label");
  EXPECT_ERROR(open("a.jpg x\n"), "line 1 has label \"x\"; expected an integer");
  EXPECT_ERROR(open("a.jpg 1\n"), "has the label 1 but not 0");
  EXPECT_ERROR(open("a.jpg -7\n"), "line 1 has label -7");
  EXPECT_ERROR(open("a.jpg 9999999999\n"), "line 1 has label 9999999999");
  EXPECT_ERROR(open(""), "lists no images");
}

TEST(CsvDataset, ReadsItsColumns) {
  const TempFolder folder;
  folder.write("a.jpg", "a");
  const std::string path = folder.write(
      "d.csv", "split,path,label,name\ntrain,a.jpg,0,fox\ntest,b.jpg,1,\"wolf, grey\"\n");
  const Dataset dataset = open_dataset(path, {.split = "test"});
  EXPECT_EQ(dataset.format, "csv");
  EXPECT_EQ(samples_of(dataset), "1 b.jpg");
  EXPECT_EQ(dataset.classes, (Names{"fox", "wolf, grey"}));
  EXPECT_ERROR(open_dataset(path, {.split = "val"}), "has no split \"val\"; it has train, test");
}

TEST(CsvDataset, UnknownIsNoClass) {
  const TempFolder folder;
  for (const char* image : {"a.jpg", "b.jpg", "c.jpg"}) folder.write(image, "");
  const Dataset dataset =
      open_dataset(folder.write("d.csv", "path,name\na.jpg,wolf\nb.jpg,unknown\nc.jpg,fox\n"));
  EXPECT_EQ(dataset.classes, (std::vector<std::string>{"fox", "wolf"}));
  EXPECT_EQ(samples_of(dataset), "1 a.jpg, -1 b.jpg, 0 c.jpg");
}

TEST(CsvDataset, NumbersNamesItself) {
  const TempFolder folder;
  folder.write("a.jpg", "");
  const std::string path = folder.write("d.tsv", "path\tname\na.jpg\twolf\nb.jpg\tfox\n");
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.classes, (Names{"fox", "wolf"}));
  EXPECT_EQ(samples_of(dataset), "1 a.jpg, 0 b.jpg");
  const std::string names = folder.write("names.txt", "wolf\nbear\nfox\n");
  EXPECT_EQ(samples_of(open_dataset(path, {.names = names})), "0 a.jpg, 2 b.jpg");
  const std::string other = folder.write("other.txt", "wolf\n");
  EXPECT_ERROR(open_dataset(path, {.names = other}),
               "has the class \"fox\", which is not in " + other);
}

TEST(CsvDataset, RefusesDamagedTables) {
  const TempFolder folder;
  folder.write("a.jpg", "");
  const auto open = [&](const std::string& text) {
    return open_dataset(folder.write("d.csv", text));
  };
  EXPECT_ERROR(open("label\n0\n"), "no column path");
  EXPECT_ERROR(open("path\na.jpg\n"), "no column label");
  EXPECT_ERROR(open("path,label\na.jpg,x\n"), "line 2, column \"label\": got \"x\"");
  EXPECT_ERROR(open("path,label\na.jpg,-3\n"), "row 1 has label -3");
  EXPECT_ERROR(open("path,label\n,0\n"), "expected the path of an image");
  EXPECT_ERROR(open("path,label,split\na.jpg,0,\n"), "expected a split");
  EXPECT_ERROR(open("path,name\na.jpg,\n"), "expected the name of a class");
}

}  // namespace
}  // namespace openworld

#include "openworld/io/test_tar.h"
#include "openworld/worlds/shards.h"
#include "openworld/worlds/test_worlds.h"

namespace openworld {
namespace {

using testing::contents;
using testing::samples_of;
using testing::tar_end;
using testing::tar_file;
using testing::TempFolder;
using Names = std::vector<std::string>;

std::string numbered(const std::string& key, const std::string& label) {
  return tar_file(key + ".jpg", "image " + key) + tar_file(key + ".cls", label);
}

TEST(Webdataset, ReadsOneShard) {
  const TempFolder folder;
  const std::string path =
      folder.write("a.tar", tar_file("d/0.png", "zero") + tar_file("d/0.txt", "caption") +
                                tar_file("d/0.json", R"({"label": 1, "caption": "x"})") +
                                tar_file("d/1.seg.png", "mask") + tar_file("d/1.jpg", "one") +
                                tar_file("d/1.cls", "0\n") + tar_file("README", "") + tar_end());
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.format, "webdataset");
  EXPECT_EQ(samples_of(dataset), "1 d/0.png, 0 d/1.jpg");
  EXPECT_EQ(contents(dataset, 0), "zero");
  EXPECT_EQ(contents(dataset, 1), "one");
  EXPECT_EQ(dataset.classes, (Names{"0", "1"}));
  EXPECT_FALSE(dataset.named);
  EXPECT_EQ(sample_name(dataset, 1), path + ": d/1.jpg");
  // The mapping outlives the file.
  std::filesystem::remove(path);
  EXPECT_EQ(contents(dataset, 0), "zero");
}

TEST(Webdataset, ReadsPatternsAndFolders) {
  const TempFolder folder;
  folder.write("s-08.tar", numbered("a", "0"));
  folder.write("s-09.tar", numbered("b", "1"));
  folder.write("s-10.tar", numbered("c", "0"));
  const std::string all = "0 a.jpg, 1 b.jpg, 0 c.jpg";
  EXPECT_EQ(samples_of(open_dataset(folder / "s-{08..10}.tar")), all);
  EXPECT_EQ(samples_of(open_dataset(folder / "")), all);
  EXPECT_EQ(contents(open_dataset(folder / ""), 2), "image c");
  EXPECT_ERROR(open_dataset(folder / "s-{10..11}.tar"), "s-11.tar: cannot open");
  folder.write("classnames.txt", "red fox\nwolf\n");
  EXPECT_EQ(open_dataset(folder / "").classes, (Names{"red fox", "wolf"}));
  EXPECT_EQ(open_dataset(folder / "s-{08,09}.tar").classes, (Names{"red fox", "wolf"}));
}

// As CLIP_benchmark writes them.
TEST(Webdataset, ReadsSplits) {
  const TempFolder folder;
  folder.write("test/2.tar", numbered("a", "0"));
  folder.write("test/10.tar", numbered("b", "1"));
  folder.write("train/0.tar", numbered("c", "0"));
  folder.write("classnames.txt", "fox\nwolf\n");
  const Dataset dataset = open_dataset(folder / "", {.split = "test"});
  EXPECT_EQ(samples_of(dataset), "0 a.jpg, 1 b.jpg");
  EXPECT_EQ(dataset.classes, (Names{"fox", "wolf"}));
  EXPECT_EQ(dataset.splits, (Names{"test", "train"}));
  EXPECT_ERROR(open_dataset(folder / ""), "has the splits test, train");
  EXPECT_ERROR(open_dataset(folder / "", {.split = "val"}), "has no split \"val\"");
}

TEST(Webdataset, TakesLabelsByName) {
  const TempFolder folder;
  const std::string path = folder.write("a.tar", numbered("0", "wolf\n") + tar_file("1.webp", "") +
                                                     tar_file("1.json", R"({"label": "fox"})"));
  const Dataset dataset = open_dataset(path);
  EXPECT_EQ(dataset.classes, (Names{"fox", "wolf"}));
  EXPECT_TRUE(dataset.named);
  EXPECT_EQ(samples_of(dataset), "1 0.jpg, 0 1.webp");
}

TEST(Webdataset, TakesImagesWithoutLabels) {
  const TempFolder folder;
  const std::string path =
      folder.write("a.tar", tar_file("0.jpg", "") + tar_file("0.json", R"({"caption": "x"})"));
  EXPECT_EQ(samples_of(open_dataset(path)), "-1 0.jpg");
}

TEST(Webdataset, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  const auto open = [&](const std::string& bytes) {
    return open_dataset(folder.write("a.tar", bytes));
  };
  EXPECT_ERROR(open("x"), "a.tar: tar member at offset 0 is cut off");
  EXPECT_ERROR(open(tar_end()), "lists no images");
  EXPECT_ERROR(open(tar_file("0.cls", "1")), "sample \"0\" has a label but no image in .jpg");
  EXPECT_ERROR(open(tar_file("0.jpg", "") + tar_file("0.png", "")), "sample \"0\" has two images");
  EXPECT_ERROR(open(numbered("0", "1") + tar_file("0.json", R"({"label": 1})")),
               "sample \"0\" has two labels");
  EXPECT_ERROR(open(numbered("0", "")), "\"0.cls\" is \"\"; expected a label");
  EXPECT_ERROR(open(numbered("0", "\xff")), "expected a label");
  EXPECT_ERROR(open(numbered("0", std::string(2 << 20, '1'))), "expected at most 1048576");
  EXPECT_ERROR(open(tar_file("0.jpg", "") + tar_file("0.json", "{")),
               "\"0.json\": is not valid JSON");
  EXPECT_ERROR(open(tar_file("0.jpg", "") + tar_file("0.json", R"({"label": 0.5})")),
               "\"0.json\" has label \"0.5\"");
  // As a signed number it is -1, unknown.
  EXPECT_ERROR(
      open(tar_file("0.jpg", "") + tar_file("0.json", R"({"label": 18446744073709551615})")),
      "\"0.json\" has label \"18446744073709551615\"");
  EXPECT_ERROR(open(numbered("0", "0") + tar_file("1.jpg", "")),
               "sample \"0.jpg\" has a label and sample \"1.jpg\" lacks one");
  EXPECT_ERROR(open(tar_file("1.jpg", "") + numbered("0", "0")),
               "sample \"1.jpg\" lacks a label and sample \"0.jpg\" has one");
  EXPECT_ERROR(open(numbered("0", "0") + numbered("1", "fox")), "expected one kind");
  EXPECT_ERROR(open(numbered("0", "1")), "has the label 1 but not 0");
}

TEST(ExpandBraces, CountsAndLists) {
  const Origin origin{"f", "p"};
  EXPECT_EQ(expand_braces("a", origin), (Names{"a"}));
  EXPECT_EQ(expand_braces("{a,b}-{9..11}", origin),
            (Names{"a-9", "a-10", "a-11", "b-9", "b-10", "b-11"}));
  EXPECT_EQ(expand_braces("x{008..010}.tar", origin), (Names{"x008.tar", "x009.tar", "x010.tar"}));
  EXPECT_ERROR(expand_braces("a{1..", origin), "[f] p: has a brace that is not closed");
  EXPECT_ERROR(expand_braces("a{2..1}", origin), "{2..1} is not a range");
  EXPECT_ERROR(expand_braces("a{a..b}", origin), "is not a range; expected two numbers");
  EXPECT_ERROR(expand_braces("{0..99999999999}", origin), "is more than 100000 names");
  EXPECT_ERROR(expand_braces("{0..999}{0..999}", origin), "stands for more than 100000 names");
}

TEST(SortNaturally, NumbersSortAsNumbers) {
  Names names = {"10.tar", "9.tar", "a2b10", "a2b9", "a10", "001.tar", "2.tar", "b"};
  sort_naturally(&names);
  EXPECT_EQ(names, (Names{"001.tar", "2.tar", "9.tar", "10.tar", "a2b9", "a2b10", "a10", "b"}));
}

}  // namespace
}  // namespace openworld

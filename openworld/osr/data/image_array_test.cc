#include "openworld/osr/data/image_array.h"

#include <cmath>

#include "openworld/base/random.h"
#include "openworld/images/resample.h"
#include "openworld/io/npz.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

Image random_image(int width, int height, std::uint64_t seed) {
  Image image = make_image(width, height);
  Random random(seed);
  for (auto& value : image.rgb) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

std::string png(const Image& image) {
  return make_png(image.width, image.height, image.rgb, PngCompression::kStored);
}

// Two classes of two images each, 9 x 7 pixels, and one of no class.
TempFolder& photos() {
  static TempFolder folder;
  static const bool written = [] {
    std::uint64_t seed = 0;
    for (const char* name : {"cat/0", "cat/1", "dog/0", "dog/1", "unknown/0"}) {
      folder.write(std::string(name) + ".png", png(random_image(9, 7, ++seed)));
    }
    return true;
  }();
  static_cast<void>(written);
  return folder;
}

TEST(LoadImageArray, ResizesAsPillow) {
  const ImageArray array = load_image_array(photos() / "");
  ASSERT_EQ(array.count, 5u);
  EXPECT_EQ(array.width, 32);
  EXPECT_EQ(array.height, 32);
  EXPECT_EQ(array.labels, (std::vector<std::int32_t>{0, 0, 1, 1, -1}));
  EXPECT_EQ(array.names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_TRUE(array.named);
  EXPECT_EQ(array.sha256.size(), 64u);
  for (std::size_t i = 0; i < 5; ++i) {
    const Image expected =
        resize(random_image(9, 7, i + 1), {.width = 32, .height = 32, .filter = Filter::kBilinear});
    EXPECT_EQ(array.image(i).rgb, expected.rgb);
  }
}

TEST(LoadImageArray, KeepsSizesAndAnyNumberOfThreads) {
  const ImageArray one = load_image_array(photos() / "", {.side = 0, .threads = 1});
  const ImageArray two = load_image_array(photos() / "", {.side = 0, .threads = 2});
  EXPECT_EQ(one.width, 9);
  EXPECT_EQ(one.height, 7);
  EXPECT_EQ(one.rgb, two.rgb);
  EXPECT_EQ(one.image(3).rgb, random_image(9, 7, 4).rgb);
}

// Resized when it is loaded or when it is written: the same floats.
TEST(ImageArray, WritesWhatTheNetworkReads) {
  const ImageArray small = load_image_array(photos() / "");
  const ImageArray as_is = load_image_array(photos() / "", {.side = 0});
  ASSERT_EQ(small.values(kCifarPixels), 3072u);
  const SquareAugmentation augmentation{.padding = 4, .flip = true};
  for (std::size_t i = 0; i < small.count; ++i) {
    std::vector<float> a(3072), b(3072), expected(3072);
    small.write(i, kCifarPixels, a);
    as_is.write(i, kCifarPixels, b);
    square_transform(random_image(9, 7, i + 1), kCifarPixels, expected);
    EXPECT_EQ(a, expected);
    EXPECT_EQ(b, expected);
    small.write_augmented(i, kCifarPixels, augmentation, {1, 2, i}, a);
    as_is.write_augmented(i, kCifarPixels, augmentation, {1, 2, i}, b);
    square_train_transform(random_image(9, 7, i + 1), kCifarPixels, augmentation, {1, 2, i},
                           expected);
    EXPECT_EQ(a, expected);
    EXPECT_EQ(b, expected);
  }
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

struct Floats {
  std::vector<float> images = std::vector<float>(2 * 3 * 2 * 4);
  std::vector<std::size_t> shape = {2, 3, 2, 4};
  std::vector<std::int64_t> labels = {1, -1};
  const char* label_name = "labels";

  Floats() {
    for (std::size_t i = 0; i < images.size(); ++i) images[i] = static_cast<float>(i) - 7.5f;
  }

  std::string write(const TempFolder& folder) const {
    std::vector<NpzEntry> entries = {
        {"images", {Dtype::Kind::kFloat, 4, true}, shape, bytes_of(images)}};
    if (!labels.empty()) {
      entries.push_back(
          {label_name, {Dtype::Kind::kInt, 8, true}, {labels.size()}, bytes_of(labels)});
    }
    return folder.write("images.npz", make_npz(entries));
  }
};

TEST(LoadImageArray, TakesFloatsAsTheyAre) {
  const TempFolder folder;
  Floats file;
  for (const char* name : {"labels", "label"}) {
    file.label_name = name;
    const ImageArray array = load_image_array(file.write(folder));
    EXPECT_TRUE(array.has_floats());
    EXPECT_EQ(array.count, 2u);
    EXPECT_EQ(array.channels, 3);
    EXPECT_EQ(array.height, 2);
    EXPECT_EQ(array.width, 4);
    EXPECT_EQ(array.labels, (std::vector<std::int32_t>{1, -1}));
    EXPECT_EQ(array.names, (std::vector<std::string>{"0", "1"}));
    EXPECT_FALSE(array.named);
    std::vector<float> chw(24);
    array.write(1, kCifarPixels, chw);
    EXPECT_TRUE(std::equal(chw.begin(), chw.end(), file.images.begin() + 24));
  }
  file.labels.clear();
  EXPECT_TRUE(load_image_array(file.write(folder)).labels.empty());
}

// Against the definition, pixel by pixel.
TEST(ImageArray, MovesFloatsWithZerosAround) {
  const TempFolder folder;
  const Floats file;
  const ImageArray array = load_image_array(file.write(folder));
  const SquareAugmentation augmentation{.padding = 2, .flip = true};
  bool flipped = false, moved = false;
  for (std::uint64_t epoch = 0; epoch < 40; ++epoch) {
    std::vector<float> chw(24);
    array.write_augmented(0, kPlainPixels, augmentation, {3, epoch, 0}, chw);
    Random random = augmentation_stream({3, epoch, 0});
    const SquareChoices choices = draw_square_choices(augmentation, random);
    flipped = flipped || choices.flip;
    moved = moved || choices.left != 0 || choices.top != 0;
    for (int c = 0; c < 3; ++c) {
      for (int y = 0; y < 2; ++y) {
        for (int x = 0; x < 4; ++x) {
          const int u = x + choices.left, v = y + choices.top;
          const bool inside = u >= 0 && u < 4 && v >= 0 && v < 2;
          const float expected =
              inside ? file.images[static_cast<std::size_t>((2 * c + v) * 4 + u)] : 0.0f;
          const int shown = choices.flip ? 3 - x : x;
          EXPECT_EQ(chw[static_cast<std::size_t>((2 * c + y) * 4 + shown)], expected);
        }
      }
    }
  }
  EXPECT_TRUE(flipped && moved);
}

TEST(LoadImageArray, RefusesWhatDoesNotFit) {
  const TempFolder folder;
  folder.write("mixed/a/0.png", png(random_image(3, 3, 1)));
  folder.write("mixed/a/1.png", png(random_image(4, 3, 1)));
  EXPECT_ERROR(load_image_array(folder / "mixed", {.side = 0}),
               "0.png is 3 x 3 pixels and " + folder / "mixed/a/1.png" +
                   " is 4 x 3; expected one size, or a side to resize to");
  EXPECT_EQ(load_image_array(folder / "mixed", {.side = 3}).count, 2u);
  EXPECT_ERROR(load_image_array(folder / "mixed", {.side = -1}), "side is -1; expected 1 to 4096");
  folder.write("bad/a/0.png", "no image");
  EXPECT_ERROR(load_image_array(folder / "bad"), folder / "bad/a/0.png");
  EXPECT_ERROR(load_image_array(folder / "none"), "does not exist");

  Floats file;
  file.images[30] = NAN;
  EXPECT_ERROR(load_image_array(file.write(folder)), "images[1] has a value that is not finite");
  file = {};
  file.labels = {0};
  EXPECT_ERROR(load_image_array(file.write(folder)), "labels has 1 entries; expected 2");
  file.labels = {0, -2};
  EXPECT_ERROR(load_image_array(file.write(folder)), "labels[1] is -2; expected an index");
  file.labels = {0, 2'000'000'000};
  EXPECT_ERROR(load_image_array(file.write(folder)), "has the label 2000000000 among 2 images");
  file = {};
  file.shape = {6, 2, 4};
  EXPECT_ERROR(load_image_array(file.write(folder)),
               "images has dtype <f4 and shape (6, 2, 4); expected <f4 and (N, 3, H, W)");
  file = {};
  EXPECT_ERROR(load_image_array(file.write(folder), {.dataset = {.split = "train"}}),
               "has no splits, but the split \"train\" was requested");
  const ImageArray array = load_image_array(file.write(folder));
  std::vector<float> chw(3072), fits(24);
  EXPECT_ERROR(array.write(0, kPlainPixels, chw), "the output has 3072 values; expected 24");
  EXPECT_ERROR(array.write_augmented(0, kPlainPixels, {.rand = {1, 5}}, {}, fits),
               "images are floats; RandAugment needs 8-bit pixels");
  EXPECT_ERROR(array.write_augmented(0, kPlainPixels, {.padding = 3}, {}, fits),
               "the padding is 3; expected 0 to 2");
}

TEST(OsrRows, AreThoseOfTheSplit) {
  const ImageArray array = load_image_array(photos() / "");
  const OsrSplit split{.name = "", .known = {1}, .unknown = {0}};
  const OsrRows known = known_rows(array, split), unknown = unknown_rows(array, split);
  EXPECT_EQ(known.rows, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(known.labels, (std::vector<std::int32_t>{0, 0}));
  EXPECT_EQ(unknown.rows, (std::vector<std::uint32_t>{0, 1, 4}));
  EXPECT_EQ(unknown.labels, (std::vector<std::int32_t>{-1, -1, -1}));
  EXPECT_EQ(all_unknown(array).rows.size(), 5u);
  EXPECT_ERROR(known_rows(array, osr_split("cifar10:0")),
               "[known_rows] the split \"cifar10:0\" has the class 6; expected labels below 2");
  const TempFolder folder;
  Floats file;
  file.labels = {1, 1};
  const ImageArray floats = load_image_array(file.write(folder));
  EXPECT_ERROR(known_rows(floats, {.name = "", .known = {1, 0}, .unknown = {}}),
               "the known class 0 (\"0\") has no image");
  EXPECT_ERROR(unknown_rows(floats, {.name = "", .known = {1, 0}, .unknown = {}}),
               "no image is of an unknown class");
  file.labels.clear();
  EXPECT_ERROR(known_rows(load_image_array(file.write(folder)), split), "has no labels");
}

}  // namespace
}  // namespace openworld

#include "openworld/images/square_transform.h"

#include <cmath>
#include <set>
#include <sstream>

#include "openworld/images/test_util.h"

namespace openworld {
namespace {

using testing::random_image;

// With the mean and std of CLIP, which the oracle has.
Preprocessing of_size(std::int64_t size) {
  Preprocessing preprocessing;
  preprocessing.image_size = size;
  return preprocessing;
}

std::vector<float> room(std::int64_t size) {
  return std::vector<float>(static_cast<std::size_t>(3 * size * size), NAN);
}

TEST(SquareTransform, GivesTheFloatsOfTorchOnPillow) {
  REQUIRE_ORACLE("square");
  const auto folder = testing::oracle("square");
  std::ifstream cases(folder / "cases.txt");
  int count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string source, result;
    std::int64_t size = 0;
    words >> source >> size >> result;
    std::vector<float> chw = room(size);
    square_transform(testing::load_pixels(folder / source), of_size(size), chw);
    EXPECT_EQ(chw, testing::load_floats(folder / result));
  }
  EXPECT_EQ(count, 12);
}

// Every crop and flip is drawn, and each is that of torchvision.
TEST(SquareTrainTransform, CropsAndFlipsAsTorchvision) {
  REQUIRE_ORACLE("square");
  const auto folder = testing::oracle("square");
  const Image image = testing::load_pixels(folder / "28x28.npy");
  const std::vector<float> crops = testing::load_floats(folder / "crops.npy");
  constexpr std::size_t kSize = 3 * 32 * 32;
  ASSERT_EQ(crops.size(), 50 * kSize);
  const SquareAugmentation augmentation{.padding = 2, .flip = true};
  std::set<std::size_t> seen;
  for (std::uint64_t i = 0; i < 600; ++i) {
    std::vector<float> chw = room(32);
    square_train_transform(image, of_size(32), augmentation, {1, 2, i}, chw);
    Random random = augmentation_stream({1, 2, i});
    const SquareChoices choices = draw_square_choices(augmentation, random);
    const auto at = static_cast<std::size_t>(10 * (choices.top + 2) + 2 * (choices.left + 2) +
                                             (choices.flip ? 1 : 0));
    ASSERT_LT(at, 50u);
    ASSERT_TRUE(
        std::equal(chw.begin(), chw.end(), crops.begin() + static_cast<std::ptrdiff_t>(at * kSize)))
        << at;
    seen.insert(at);
  }
  EXPECT_EQ(seen.size(), 50u);
}

TEST(SquareTrainTransform, IsThePlainOneWithoutAugmentation) {
  const Image image = random_image(28, 28, 3);
  std::vector<float> plain = room(32), trained = room(32);
  square_transform(image, kPlainPixels, plain);
  square_train_transform(image, kPlainPixels, {}, {1, 2, 3}, trained);
  EXPECT_EQ(trained, plain);
  for (const float value : plain) ASSERT_TRUE(value >= 0 && value <= 1);
}

// RandAugment acts on the image before it is resized.
TEST(SquareTrainTransform, AugmentsBeforeResizing) {
  const Image image = random_image(28, 28, 4);
  const RandAugment augment{.n = 2, .m = 18};
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::vector<float> got = room(32), expected = room(32);
    square_train_transform(image, kCifarPixels, {.rand = augment}, {5, 6, i}, got);
    Random random = augmentation_stream({5, 6, i});
    square_transform(rand_augment(image, augment, random), kCifarPixels, expected);
    EXPECT_EQ(got, expected);
  }
}

TEST(SquareTrainTransform, DependsOnItsNameAlone) {
  const Image image = random_image(32, 32, 1);
  const auto run = [&](AugmentationName name) {
    std::vector<float> chw = room(32);
    square_train_transform(image, kPlainPixels, {.rand = {1, 9}, .padding = 4, .flip = true}, name,
                           chw);
    return chw;
  };
  const auto first = run({1, 2, 3});
  EXPECT_EQ(run({1, 2, 3}), first);
  EXPECT_NE(run({2, 2, 3}), first);
  EXPECT_NE(run({1, 3, 3}), first);
  EXPECT_NE(run({1, 2, 4}), first);
}

TEST(SquareTransform, RefusesWrongSizes) {
  const Image image = random_image(4, 4, 1);
  std::vector<float> chw = room(2);
  EXPECT_ERROR(square_transform(image, kPlainPixels, chw),
               "[square_transform] the output has 12 values; expected 3 * 32 * 32");
  chw = room(32);
  EXPECT_ERROR(square_train_transform(image, kPlainPixels, {.padding = 33}, {}, chw),
               "the padding is 33; expected 0 to 32");
  EXPECT_ERROR(square_train_transform(image, kPlainPixels, {.padding = -1}, {}, chw),
               "the padding is -1");
  EXPECT_ERROR(square_train_transform(image, kPlainPixels, {.rand = {1, 40}}, {}, chw),
               "[square_train_transform] RandAugment has m = 40");
}

}  // namespace
}  // namespace openworld

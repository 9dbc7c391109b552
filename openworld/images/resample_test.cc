#include "openworld/images/resample.h"

#include <cmath>
#include <sstream>

#include "openworld/images/test_util.h"

namespace openworld {
namespace {

using testing::random_image;
using testing::same_pixels;

TEST(Resize, GivesThePixelsOfPillow) {
  REQUIRE_ORACLE("resize");
  const auto folder = testing::oracle("resize");
  std::ifstream cases(folder / "cases.txt");
  std::size_t count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string source, filter, result;
    ResizeOptions options;
    Box box;
    words >> source >> options.width >> options.height >> filter >> box.left >> box.top >>
        box.right >> box.bottom >> result;
    ASSERT_TRUE(words);
    options.filter = filter == "bilinear" ? Filter::kBilinear : Filter::kBicubic;
    options.box = box;
    EXPECT_TRUE(same_pixels(resize(testing::load_pixels(folder / source), options),
                            testing::load_pixels(folder / result)));
  }
  EXPECT_GT(count, 300u);
}

TEST(Resize, APartIsThatPartOfTheWhole) {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const auto draw = [&](int most) { return static_cast<int>(1 + random.below(most)); };
    const Image image = random_image(draw(70), draw(70), 10 + i);
    ResizeOptions options;
    // Every third time one side stays, so that its pass is left out.
    options.width = i % 3 == 1 ? image.width : draw(70);
    options.height = i % 3 == 2 ? image.height : draw(70);
    const Image whole = resize(image, options);
    Rect part{0, 0, draw(whole.width), draw(whole.height)};
    part.left = draw(static_cast<int>(whole.width - part.width + 1)) - 1;
    part.top = draw(static_cast<int>(whole.height - part.height + 1)) - 1;
    options.part = part;
    Image expected{static_cast<int>(part.width), static_cast<int>(part.height), {}};
    const ImageView view = ImageView(whole).crop(part);
    for (int y = 0; y < view.height; ++y) {
      expected.rgb.insert(expected.rgb.end(), view.row(y), view.row(y) + 3 * view.width);
    }
    EXPECT_TRUE(same_pixels(resize(image, options), expected)) << i;
  }
}

TEST(Resize, ACropIsAnImageOfItsOwn) {
  const Image image = random_image(50, 40, 1);
  const ImageView view = ImageView(image).crop({7, 5, 30, 20});
  Image copy{30, 20, {}};
  for (int y = 0; y < 20; ++y) copy.rgb.insert(copy.rgb.end(), view.row(y), view.row(y) + 90);
  for (const auto& [width, height] : {std::pair{30, 20}, {13, 20}, {30, 11}, {61, 7}}) {
    EXPECT_TRUE(same_pixels(resize(view, {width, height}), resize(copy, {width, height})));
  }
}

TEST(Resize, KeepsAConstant) {
  for (const int value : {0, 1, 127, 254, 255}) {
    Image image{23, 37, {}};
    image.rgb.assign(3 * 23 * 37, static_cast<std::uint8_t>(value));
    for (const Filter filter : {Filter::kBilinear, Filter::kBicubic}) {
      for (const std::int64_t size : {1, 5, 64, 301}) {
        const Image result = resize(image, {size, size + 1, filter});
        EXPECT_EQ(std::vector<std::uint8_t>(result.rgb.size(), static_cast<std::uint8_t>(value)),
                  result.rgb);
      }
    }
  }
}

// The definition without fixed point: within one step, from the two roundings.
TEST(Resize, IsTheWeightedMeanOfItsDefinition) {
  const Image image = random_image(29, 1, 2);
  const int width = 11;
  const double scale = 29.0 / width;
  const Image result = resize(image, {width, 1});
  for (int x = 0; x < width; ++x) {
    const double centre = (x + 0.5) * scale;
    double sum = 0, weights = 0;
    for (int i = 0; i < 29; ++i) {
      const double d = std::fabs((i + 0.5 - centre) / scale);
      const double w = d < 1   ? 1.5 * d * d * d - 2.5 * d * d + 1
                       : d < 2 ? -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2
                               : 0;
      sum += w * image.rgb[3 * i];
      weights += w;
    }
    EXPECT_NEAR(result.rgb[3 * x], std::clamp(sum / weights, 0.0, 255.0), 1) << x;
  }
}

TEST(Resize, RefusesWhatIsNoSize) {
  const Image image = random_image(4, 3, 1);
  const auto with_box = [&](Box box) { resize(image, {2, 2, Filter::kBicubic, box, {}}); };
  const auto with_part = [&](Rect part) { resize(image, {2, 2, Filter::kBicubic, {}, part}); };
  EXPECT_ERROR(resize(image, {0, 2}), "[resize] size is 0 x 2; expected at least one pixel");
  EXPECT_ERROR(resize(image, {2, -1}), "[resize] size is 2 x -1; expected at least one pixel");
  EXPECT_ERROR(with_box({0, 0, 4.5f, 3}),
               "[resize] box is (0, 0, 4.5, 3); expected a part of 4 x 3 pixels");
  EXPECT_ERROR(with_box({-1, 0, 4, 3}), "[resize] box is (-1, ");
  EXPECT_ERROR(with_box({2, 0, 2, 3}), "[resize] box is (2, 0, 2, 3)");
  EXPECT_ERROR(with_box({0, 0, 4, 3.5f}), "[resize] box is (0, 0, 4, 3.5)");
  EXPECT_ERROR(with_box({0, NAN, 4, 3}), "[resize] box is (0, nan, 4, 3)");
  EXPECT_ERROR(with_part({0, 0, 3, 1}),
               "[resize] part is 3 x 1 pixels from (0, 0) on; expected a part of 2 x 2");
  EXPECT_ERROR(with_part({2, 0, 1, 1}), "[resize] part is ");
  EXPECT_ERROR(with_part({0, -1, 1, 1}), "[resize] part is ");
  EXPECT_ERROR(with_part({0, 0, 1, 0}), "[resize] part is ");
}

}  // namespace
}  // namespace openworld

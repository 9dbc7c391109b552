#include "openworld/images/rand_augment.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "openworld/images/pillow_ops.h"
#include "openworld/images/test_util.h"

namespace openworld {
namespace {

using testing::random_image;

const RandAugmentOperation& operation(const std::string& name) {
  const auto all = rand_augment_operations(RandAugmentList::kAll);
  return *std::ranges::find(all, name, &RandAugmentOperation::name);
}

// Every operation of the table at eight strengths, and in either direction.
TEST(RandAugment, OperationsGiveThePixelsOfPillow) {
  REQUIRE_ORACLE("operations");
  const auto folder = testing::oracle("operations");
  std::ifstream cases(folder / "cases.txt");
  std::set<std::string> names;
  for (std::string line; std::getline(cases, line);) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::string source, name, file;
    double m = 0;
    words >> source >> name >> m;
    std::vector<Image> expected;
    while (words >> file) expected.push_back(testing::load_pixels(folder / file));
    ASSERT_FALSE(expected.empty());
    const Image image = testing::load_pixels(folder / source);
    const RandAugmentOperation& row = operation(name);
    std::vector<bool> seen(expected.size());
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      Random random(seed);
      const Image got = row.apply(image, m / 30 * (row.high - row.low) + row.low, random);
      bool found = false;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool same = static_cast<bool>(testing::same_pixels(got, expected[i]));
        if (same) seen[i] = true;
        found = found || same;
      }
      ASSERT_TRUE(found) << testing::same_pixels(got, expected[0]).message();
    }
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_TRUE(seen[i]) << i;
    names.insert(name);
  }
  // Cutout is random in its place; see below.
  EXPECT_EQ(names.size(), rand_augment_operations(RandAugmentList::kAll).size() - 1);
}

TEST(PillowOps, RectanglesAreThoseOfImageDraw) {
  REQUIRE_ORACLE("operations");
  const auto folder = testing::oracle("operations");
  const Image image = testing::load_pixels(folder / "32x32.npy");
  std::ifstream cases(folder / "rectangles.txt");
  int count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    SCOPED_TRACE(line);
    std::istringstream words(line);
    std::array<double, 4> box;
    for (double& value : box) words >> value;
    std::string result;
    words >> result;
    EXPECT_TRUE(testing::same_pixels(fill_rectangle(image, box, {125, 123, 114}),
                                     testing::load_pixels(folder / result)));
  }
  EXPECT_EQ(count, 5);
}

// A square of the side and one pixel more, cut at the right and lower border only.
TEST(RandAugment, CutoutCoversASquare) {
  const Image image = make_image(32, 32);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    const Image covered = operation("CutoutAbs").apply(image, 8, random);
    int left = 32, right = -1, top = 32, bottom = -1, pixels = 0;
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 32; ++x) {
        if (covered.rgb[static_cast<std::size_t>(3 * (32 * y + x))] != 125) continue;
        left = std::min(left, x), right = std::max(right, x);
        top = std::min(top, y), bottom = std::max(bottom, y);
        ++pixels;
      }
    }
    EXPECT_EQ(pixels, (right - left + 1) * (bottom - top + 1));
    EXPECT_TRUE(right - left == 8 || right == 31) << left << " to " << right;
    EXPECT_TRUE(bottom - top == 8 || bottom == 31) << top << " to " << bottom;
  }
}

TEST(RandAugment, DrawsFromItsListAlone) {
  const auto all = rand_augment_operations(RandAugmentList::kAll);
  const auto still = rand_augment_operations(RandAugmentList::kNoMotions);
  EXPECT_EQ(all.size(), 16u);
  EXPECT_EQ(still.size(), 13u);
  for (const char* name : {"Rotate", "TranslateXabs", "TranslateYabs"}) {
    EXPECT_EQ(std::ranges::find(still, name, &RandAugmentOperation::name), still.end()) << name;
    EXPECT_NE(std::ranges::find(all, name, &RandAugmentOperation::name), all.end()) << name;
  }
}

// The chain of n operations is what applying them one by one gives.
TEST(RandAugment, IsAChain) {
  const Image image = random_image(28, 28, 1);
  const RandAugment augment{.n = 3, .m = 8, .list = RandAugmentList::kNoMotions};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed), again(seed);
    const Image got = rand_augment(image, augment, random);
    Image expected = image;
    for (int i = 0; i < 3; ++i) {
      const auto list = rand_augment_operations(augment.list);
      const RandAugmentOperation& row = list[again.below(list.size())];
      expected = row.apply(expected, 8.0 / 30 * (row.high - row.low) + row.low, again);
    }
    EXPECT_TRUE(testing::same_pixels(got, expected));
    EXPECT_EQ(random.next(), again.next());
  }
}

TEST(RandAugment, RefusesWrongNumbers) {
  EXPECT_ERROR(check_rand_augment({.n = -1}, "test"),
               "[test] RandAugment has n = -1; expected 0 to 16 operations");
  EXPECT_ERROR(check_rand_augment({.n = 17}, "test"), "n = 17");
  EXPECT_ERROR(check_rand_augment({.n = 1, .m = 31}, "test"), "m = 31; expected 0 to 30");
  EXPECT_ERROR(check_rand_augment({.n = 1, .m = -0.5}, "test"), "m = -0.5");
}

}  // namespace
}  // namespace openworld

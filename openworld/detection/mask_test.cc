#include "openworld/detection/mask.h"

#include <gtest/gtest.h>

#include "openworld/base/error.h"
#include "openworld/base/random.h"

namespace openworld {
namespace {

// Pixels down the columns.
std::vector<bool> pixels(const Mask& mask) {
  std::vector<bool> all;
  for (std::size_t i = 0; i < mask.runs.size(); ++i)
    all.insert(all.end(), mask.runs[i], i % 2 == 1);
  return all;
}

Mask from_pixels(const std::vector<bool>& all, std::uint32_t height, std::uint32_t width) {
  std::vector<std::uint32_t> runs(1, 0);
  bool current = false;
  for (const bool pixel : all) {
    if (pixel != current) runs.push_back(0);
    current = pixel;
    ++runs.back();
  }
  return mask_from_runs(std::move(runs), height, width);
}

Mask random_mask(Random& random, std::uint32_t height, std::uint32_t width) {
  std::vector<bool> all(height * width);
  bool value = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (random.below(4) == 0) value = !value;
    all[i] = value;
  }
  return from_pixels(all, height, width);
}

// Of a file that may ask for as much as it likes.
Mask from_polygon(std::span<const double> xy, std::uint32_t height, std::uint32_t width) {
  OutlineBudget outlines(std::uint64_t{1} << 40);
  return mask_from_polygon(xy, height, width, outlines);
}

// A rectangle with corners between pixels covers whole pixels: columns 2 to 5, rows 3 to 6.
TEST(Mask, Rectangle) {
  const double xy[] = {2, 3, 2, 7, 6, 7, 6, 3};
  const Mask mask = from_polygon(xy, 10, 10);
  EXPECT_EQ(mask.area(), 16u);
  const Box box = mask.box();
  EXPECT_EQ(box.x, 2);
  EXPECT_EQ(box.y, 3);
  EXPECT_EQ(box.width, 4);
  EXPECT_EQ(box.height, 4);
}

TEST(Mask, PolygonOutsideIsClipped) {
  const double xy[] = {-5, -5, -5, 5, 5, 5, 5, -5};
  EXPECT_EQ(from_polygon(xy, 10, 10).area(), 25u);
}

// The same corner twice, and the other direction, change nothing.
TEST(Mask, RepeatedCornersAndDirection) {
  const double xy[] = {2, 3, 2, 3, 2, 7, 6, 7, 6, 3};
  const double back[] = {6, 3, 6, 7, 2, 7, 2, 3};
  const double once[] = {2, 3, 2, 7, 6, 7, 6, 3};
  EXPECT_EQ(pixels(from_polygon(xy, 10, 10)), pixels(from_polygon(once, 10, 10)));
  EXPECT_EQ(from_polygon(back, 10, 10).area(), 16u);
}

TEST(Mask, TextThereAndBack) {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const Mask mask = random_mask(random, 13, 17);
    EXPECT_EQ(mask_from_text(mask_to_text(mask), 13, 17).runs, mask.runs);
  }
  // A run of 10^6 takes several characters.
  const Mask wide = mask_from_runs({1000000, 3, 1000000 - 3}, 1000, 2000);
  EXPECT_EQ(mask_from_text(mask_to_text(wide), 1000, 2000).runs, wide.runs);
}

TEST(Mask, IouAndUnionByCounting) {
  Random random(2);
  for (int i = 0; i < 200; ++i) {
    const Mask a = random_mask(random, 9, 11), b = random_mask(random, 9, 11);
    const auto pa = pixels(a), pb = pixels(b);
    double both = 0, either = 0, of_a = 0;
    std::vector<bool> joined(pa.size());
    for (std::size_t k = 0; k < pa.size(); ++k) {
      both += pa[k] && pb[k];
      either += pa[k] || pb[k];
      of_a += pa[k];
      joined[k] = pa[k] || pb[k];
    }
    EXPECT_EQ(mask_iou(a, b, false), both > 0 ? both / either : 0);
    EXPECT_EQ(mask_iou(a, b, true), both > 0 ? both / of_a : 0);
    EXPECT_EQ(static_cast<double>(a.area()), of_a);
    const Mask parts[] = {a, b};
    EXPECT_EQ(pixels(mask_union(parts)), joined);
  }
  EXPECT_EQ(mask_iou(random_mask(random, 3, 4), random_mask(random, 4, 3), false), -1);
}

TEST(Mask, EmptyHasNoBox) {
  const Mask empty = mask_from_runs({100}, 10, 10);
  EXPECT_EQ(empty.area(), 0u);
  EXPECT_EQ(empty.box().width, 0);
}

// To and fro across the image at every corner.
TEST(Mask, RefusesOutlinesWithoutEnd) {
  std::vector<double> xy;
  for (int i = 0; i < 100'000; ++i) xy.insert(xy.end(), {i % 2 == 0 ? 0.0 : 46'000.0, 1.0});
  EXPECT_THROW(from_polygon(xy, 46'000, 46'000), Error);
}

// Four corners of a large image are short to write, long to walk and many runs to keep.
TEST(Mask, OutlinesOfAFileCountAsMemory) {
  const double xy[] = {0, 10, 4096, 10, 4096, 4000, 0, 4000};
  OutlineBudget outlines(100'000);
  int polygons = 0;
  std::string message;
  try {
    for (; polygons < 60'000; ++polygons) mask_from_polygon(xy, 4096, 4096, outlines);
  } catch (const Error& error) {
    message = error.what();
  }
  EXPECT_EQ(polygons, 531);  // of 16172 pixels: 64 MiB and 16 times 100 KB, by 8 bytes
  EXPECT_EQ(message.rfind("[mask] polygons whose outlines are 8603504 pixels long so far", 0), 0u)
      << message;
}

TEST(Mask, Refusals) {
  EXPECT_THROW(mask_from_runs({5, 5}, 10, 10), Error);
  EXPECT_THROW(mask_from_text("\x20", 10, 10), Error);
  EXPECT_THROW(mask_from_text("oooooooooooo", 10, 10), Error);  // no end
  EXPECT_THROW(mask_from_text("", 10, 10), Error);
  const double line[] = {0, 0, 1, 1};
  EXPECT_THROW(from_polygon(line, 10, 10), Error);
  const double far[] = {0, 0, 1e9, 1, 5, 5};
  EXPECT_THROW(from_polygon(far, 10, 10), Error);
}

}  // namespace
}  // namespace openworld

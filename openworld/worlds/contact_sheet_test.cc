#include "openworld/worlds/contact_sheet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "openworld/worlds/bitmap_font.h"
#include "openworld/worlds/doodle_looks.h"
#include "openworld/worlds/world_list.h"

namespace openworld {
namespace {

Image white(int width, int height) {
  Image image = make_image(width, height);
  std::ranges::fill(image.rgb, 255);
  return image;
}

// Rows of the image, '#' where it is dark.
std::string rows_of(const Image& image) {
  std::string text;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      text += image.rgb[static_cast<std::size_t>(3 * (y * image.width + x))] < 128 ? '#' : '.';
    }
    text += '\n';
  }
  return text;
}

TEST(BitmapFont, WritesLetters) {
  Image image = white(11, 9);
  write_text(&image, 0, 0, "Tp", 1, 0);
  EXPECT_EQ(rows_of(image),
            "#####......\n"
            "..#........\n"
            "..#...####.\n"
            "..#...#...#\n"
            "..#...#...#\n"
            "..#...#...#\n"
            "..#...####.\n"
            "......#....\n"
            "......#....\n");
  EXPECT_EQ(text_width("Tp", 1), 11);
  EXPECT_EQ(text_height(1), 9);
  EXPECT_EQ(text_width("", 3), 0);
}

TEST(BitmapFont, CutsOffWhatLiesBeyond) {
  Image image = white(3, 2);
  write_text(&image, -2, -1, "TTTT", 2, 0);
  EXPECT_EQ(image.rgb.size(), 18u);
}

// The names of classes and datasets, and what a title has besides.
TEST(BitmapFont, HasEveryCharacterOfNames) {
  const auto shape = [](char character) {
    Image image = white(5, 9);
    write_text(&image, 0, 0, std::string(1, character), 1, 0);
    return rows_of(image);
  };
  const std::string unknown = shape('\x7f');
  std::string used = "doodles:@#0123456789, of classes";
  for (const World& world : bundled_worlds()) {
    for (const WorldVariant& variant : world.variants) used += variant.name;
    for (const WorldDataset& dataset : world.datasets) {
      used += dataset.name;
      for (const std::string& name : dataset.classes) used += name;
    }
  }
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  for (std::size_t i = 0; i < used.size(); ++i) {
    EXPECT_NE(shape(used[i]), unknown) << used[i];
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(shape(used[i]), shape(used[j])) << used[i];
  }
}

TEST(ContactSheet, ShowsThePicturesItNames) {
  const Doodles doodles(std::string(OPENWORLD_SOURCE_DIR) + "/data/doodles.npz");
  const Dataset shapes = open_dataset("doodles:shapes");
  const Image sheet = contact_sheet(shapes, {.rows = 2, .columns = 3});
  EXPECT_EQ(sheet.rgb.size(),
            static_cast<std::size_t>(sheet.width) * static_cast<std::size_t>(sheet.height) * 3);
  // The last picture is drawing 72 of class 5 of 10: its corners are 20 pixels from the sheet's,
  // and an enlarged pixel lies between the old ones.
  const int square = doodles.find(shapes.classes[5]);
  const Image picture =
      draw(doodles, square, 72, {.key = doodle_key(1, square, 72, Look::kPlain)}).image;
  const int left = sheet.width - 20 - 112, top = sheet.height - 20 - 112;
  for (int y = 1; y < 55; ++y) {
    for (int x = 1; x < 55; ++x) {
      int low = 255, high = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int value = picture.rgb[static_cast<std::size_t>(3 * ((y + dy) * 56 + x + dx))];
          low = std::min(low, value);
          high = std::max(high, value);
        }
      }
      const int seen =
          sheet.rgb[static_cast<std::size_t>(3 * ((top + 2 * y) * sheet.width + left + 2 * x))];
      ASSERT_GE(seen, low) << x << ", " << y;
      ASSERT_LE(seen, high) << x << ", " << y;
    }
  }
}

}  // namespace
}  // namespace openworld

// The PNG reader that needs no codec, beside Pillow and libpng.

#include "openworld/io/png_reader.h"

#include "openworld/images/decode.h"
#include "openworld/images/test_util.h"

namespace openworld {
namespace {

// Of all PNGs of the oracle it reads those of 8-bit grey and RGB, and refuses the others.
TEST(PngReader, AgreesWithPillow) {
  REQUIRE_ORACLE("decode");
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::oracle("decode"))) {
    const std::filesystem::path path = entry.path();
    if (path.extension() != ".png") continue;
    SCOPED_TRACE(path.filename());
    const Origin origin{"test", path.string()};
    const Bytes bytes = map_file(origin);
    const std::string name = path.filename().string();
    const bool simple = name.find("8bit") != std::string::npos &&
                        name.find("adam7") == std::string::npos &&
                        name.find("colour3") == std::string::npos;
    const bool plain = simple || name.ends_with("_rgb_trns.png") || name.ends_with("_photo.png") ||
                       name.ends_with("_animated.png");
    if (!plain) {
      EXPECT_ERROR(read_png_rgb(bytes.values, origin), "expected 8 bits of grey or RGB");
      ++refused;
      continue;
    }
    const Image expected = testing::load_pixels(path.string() + ".npy");
    EXPECT_EQ(read_png_rgb(bytes.values, origin), expected.rgb);
    EXPECT_EQ(decode_image(bytes.values, origin).rgb, expected.rgb);
    ++read;
  }
  EXPECT_GE(read, 30);
  EXPECT_GE(refused, 60);
}

// What it reads of damaged files, Pillow reads with the same pixels; it refuses more.
TEST(PngReader, IsNoLaxerThanPillow) {
  REQUIRE_ORACLE("mutated");
  int read = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(testing::oracle("mutated"))) {
    const std::string name = entry.path().filename().string();
    if (name.find(".png_") == std::string::npos || name.ends_with(".npy")) continue;
    SCOPED_TRACE(name);
    const Origin origin{"test", entry.path().string()};
    std::vector<std::uint8_t> rgb;
    try {
      rgb = read_png_rgb(map_file(origin).values, origin);
    } catch (const Error&) {
      ++refused;
      continue;
    }
    ++read;
    const std::string expected = entry.path().string() + ".npy";
    ASSERT_TRUE(std::filesystem::exists(expected));
    EXPECT_EQ(rgb, testing::load_pixels(expected).rgb);
  }
  EXPECT_GE(refused, 200);
}

}  // namespace
}  // namespace openworld

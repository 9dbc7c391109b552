// What io/png_writer.h writes, read back by the decoder, which has Pillow's bits.

#include "openworld/images/decode.h"
#include "openworld/images/test_util.h"
#include "openworld/io/png_writer.h"

namespace openworld {
namespace {

TEST(WrittenPng, DecodesToThePixelsItWasMadeFrom) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {56, 56}, {300, 211}}) {
    const Image image = testing::random_image(width, height, 3);
    for (const auto compression : {PngCompression::kStored, PngCompression::kDeflated}) {
      const std::string png = make_png(width, height, image.rgb, compression);
      EXPECT_TRUE(testing::same_pixels(
          decode_image(std::as_bytes(std::span(png)), {"test", "written.png"}), image));
    }
  }
}

}  // namespace
}  // namespace openworld

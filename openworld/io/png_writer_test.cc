// Checks the bytes against the format; openworld/images checks them with the decoder.

#include "openworld/io/png_writer.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "openworld/base/random.h"
#include "openworld/io/crc32.h"

namespace openworld {
namespace {

std::vector<std::uint8_t> noise(int width, int height) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(3 * width * height));
  Random random(1);
  for (auto& value : rgb) value = static_cast<std::uint8_t>(random.below(256));
  return rgb;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<std::uint8_t>(c);
  return value;
}

struct Chunk {
  std::string_view type, data;
};

std::vector<Chunk> chunks_of(std::string_view png) {
  std::vector<Chunk> chunks;
  EXPECT_TRUE(png.starts_with("\x89PNG\r\n\x1a\n"));
  for (png.remove_prefix(8); png.size() >= 12;) {
    const std::uint32_t size = big_endian(png);
    chunks.push_back({png.substr(4, 4), png.substr(8, size)});
    EXPECT_EQ(big_endian(png.substr(8 + size)),
              crc32(std::as_bytes(std::span(png.substr(4, 4 + size)))));
    png.remove_prefix(12 + size);
  }
  EXPECT_TRUE(png.empty());
  return chunks;
}

// Rows with their filters undone.
std::vector<std::uint8_t> pixels_of(const Chunk& data, int width, int height) {
  const std::size_t stride = 3 * static_cast<std::size_t>(width) + 1;
  std::vector<std::uint8_t> rows(stride * static_cast<std::size_t>(height) + 1);
  uLongf size = rows.size();
  EXPECT_EQ(::uncompress(rows.data(), &size, reinterpret_cast<const Bytef*>(data.data.data()),
                         data.data.size()),
            Z_OK);
  EXPECT_EQ(size + 1, rows.size());
  std::vector<std::uint8_t> rgb;
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    for (std::size_t x = 1; x < stride; ++x) {
      const int above = rows[y * stride] == 2 ? rgb[rgb.size() - stride + 1] : 0;
      rgb.push_back(static_cast<std::uint8_t>(rows[y * stride + x] + above));
    }
  }
  return rgb;
}

TEST(PngWriter, WritesWhatTheFormatSays) {
  // 200 x 150 is more than one stored block.
  for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {56, 56}, {200, 150}}) {
    const auto rgb = noise(width, height);
    for (const auto compression : {PngCompression::kStored, PngCompression::kDeflated}) {
      const std::string png = make_png(width, height, rgb, compression);
      const auto chunks = chunks_of(png);
      ASSERT_EQ(chunks.size(), 3u);
      EXPECT_EQ(chunks[0].type, "IHDR");
      EXPECT_EQ(big_endian(chunks[0].data), static_cast<std::uint32_t>(width));
      EXPECT_EQ(big_endian(chunks[0].data.substr(4)), static_cast<std::uint32_t>(height));
      EXPECT_EQ(chunks[0].data.substr(8), std::string_view("\x08\x02\0\0\0", 5));
      EXPECT_EQ(chunks[1].type, "IDAT");
      EXPECT_EQ(pixels_of(chunks[1], width, height), rgb);
      EXPECT_EQ(chunks[2].type, "IEND");
    }
  }
}

TEST(PngWriter, StoresByTheSize) {
  const auto rgb = noise(56, 56);
  EXPECT_EQ(make_png(56, 56, rgb, PngCompression::kStored).size(),
            8 + 25 + 12 + (2 + 5 + 56 * (1 + 3 * 56) + 4) + 12);
  const std::vector<std::uint8_t> white(3 * 56 * 56, 255);
  EXPECT_LT(make_png(56, 56, white, PngCompression::kDeflated).size(), 200u);
}

}  // namespace
}  // namespace openworld

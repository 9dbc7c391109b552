#include "openworld/io/png_reader.h"

#include <functional>

#include "openworld/base/random.h"
#include "openworld/io/column.h"
#include "openworld/io/memory_limit.h"
#include "openworld/io/png_writer.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::deflate_raw;

const Origin kOrigin{"test", "a.png"};

std::span<const std::byte> bytes(const std::string& text) {
  return std::as_bytes(std::span<const char>(text));
}

std::vector<std::uint8_t> decode(const std::string& png) {
  return read_png_rgb(bytes(png), kOrigin);
}

std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc32(bytes(type + data)));
}

struct Fields {
  std::uint32_t width = 2, height = 2;
  char bits = 8, colour = 2, interlaced = 0;
};

std::string header(const Fields& fields) {
  return chunk("IHDR", big_endian(fields.width) + big_endian(fields.height) + fields.bits +
                           fields.colour + std::string(2, '\0') + fields.interlaced);
}

// `rows` with a byte of the filter in front of each.
std::string png(const Fields& fields, const std::string& rows) {
  return "\x89PNG\r\n\x1a\n" + header(fields) + chunk("IDAT", deflate_raw(rows, MAX_WBITS)) +
         chunk("IEND", "");
}

std::vector<std::uint8_t> noise(std::size_t size, std::uint64_t seed) {
  std::vector<std::uint8_t> values(size);
  Random random(seed);
  for (auto& value : values) value = static_cast<std::uint8_t>(random.below(256));
  return values;
}

TEST(PngReader, ReadsWhatTheWriterWrites) {
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {1024, 50}}) {
    const auto rgb = noise(3 * static_cast<std::size_t>(width * height), 1);
    for (const auto kind : {PngCompression::kStored, PngCompression::kDeflated}) {
      const std::string file = make_png(width, height, rgb, kind);
      EXPECT_EQ(decode(file), rgb);
      const PngHeader found = read_png_header(bytes(file), kOrigin);
      EXPECT_EQ(found.width, static_cast<std::size_t>(width));
      EXPECT_EQ(found.height, static_cast<std::size_t>(height));
      EXPECT_EQ(found.channels, 3u);
    }
  }
}

// Each filter by its definition in the standard, on all colour types.
TEST(PngReader, UndoesEveryFilter) {
  constexpr std::size_t kWidth = 9, kHeight = 11;
  for (const auto& [colour, channels] : {std::pair{0, 1}, {4, 2}, {2, 3}, {6, 4}}) {
    const std::size_t step = static_cast<std::size_t>(channels), stride = step * kWidth;
    const auto raw = noise(stride * kHeight, static_cast<std::uint64_t>(colour) + 5);
    const auto at = [&](std::ptrdiff_t y, std::ptrdiff_t i) {
      const bool inside = y >= 0 && i >= 0;
      return inside ? int{raw[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(i)]}
                    : 0;
    };
    std::string rows;
    for (std::ptrdiff_t y = 0; y < static_cast<std::ptrdiff_t>(kHeight); ++y) {
      const int filter = static_cast<int>(y) % 5;
      rows += static_cast<char>(filter);
      for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(stride); ++i) {
        const int a = at(y, i - channels), b = at(y - 1, i), c = at(y - 1, i - channels);
        const int p = a + b - c, pa = std::abs(p - a), pb = std::abs(p - b), pc = std::abs(p - c);
        const int guesses[] = {0, a, b, (a + b) / 2, pa <= pb && pa <= pc ? a : pb <= pc ? b : c};
        rows += static_cast<char>(at(y, i) - guesses[filter]);
      }
    }
    const auto got = decode(png({kWidth, kHeight, 8, static_cast<char>(colour), 0}, rows));
    ASSERT_EQ(got.size(), 3 * kWidth * kHeight);
    for (std::size_t pixel = 0; pixel < kWidth * kHeight; ++pixel) {
      for (std::size_t k = 0; k < 3; ++k) {
        ASSERT_EQ(got[3 * pixel + k], raw[step * pixel + (channels <= 2 ? 0 : k)]) << pixel;
      }
    }
  }
}

TEST(PngReader, TakesPixelsInAnyPieces) {
  const std::string rows = std::string("\0abcdef\0ghijkl", 14);
  const std::string packed = deflate_raw(rows, MAX_WBITS);
  std::string file = "\x89PNG\r\n\x1a\n" + header({}) + chunk("tEXt", "Comment\0hi");
  for (const char c : packed) file += chunk("IDAT", std::string(1, c));
  file += chunk("IDAT", "") + chunk("tIME", "1234567") + chunk("IEND", "");
  const auto got = decode(file);
  EXPECT_EQ(std::string(got.begin(), got.end()), "abcdefghijkl");
}

TEST(PngReader, RefusesOtherPngs) {
  EXPECT_ERROR(decode("GIF89a"), "[test] a.png: is not a PNG file");
  EXPECT_ERROR(decode(""), "is not a PNG file");
  EXPECT_ERROR(decode(png({.bits = 16}, "")), "is a PNG of 16 bits, colour type 2");
  EXPECT_ERROR(decode(png({.colour = 3}, "")), "colour type 3");
  EXPECT_ERROR(decode(png({.colour = 7}, "")), "colour type 7");
  EXPECT_ERROR(decode(png({.interlaced = 1}, "")), "interlacing 1; expected 8 bits of grey or RGB");
  EXPECT_ERROR(decode(png({.width = 0}, "")), "is a PNG of 0 x 2 pixels");
  EXPECT_ERROR(decode(png({.height = 0x80000000u}, "")), "2 x 2147483648 pixels");
}

TEST(PngReader, RefusesDamage) {
  const std::string rows = std::string("\0abcdef\0ghijkl", 14);
  const std::string good = png({}, rows);
  EXPECT_EQ(decode(good).size(), 12u);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(testing::error_of([&] { decode(good.substr(0, size)); }), "no Error") << size;
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_NE(testing::error_of([&] { decode(changed); }), "no Error") << i;
  }
  EXPECT_ERROR(decode(png({}, rows.substr(0, 13))), "with fewer pixels than its header says");
  EXPECT_ERROR(decode(png({}, rows + "x")), "with more pixels than its header says");
  EXPECT_ERROR(decode(png({}, "\5" + rows.substr(1))), "with the filter 5; expected 0 to 4");
  const std::string start = "\x89PNG\r\n\x1a\n" + header({});
  EXPECT_ERROR(decode(start + chunk("IEND", "")), "whose pixels end early");
  EXPECT_ERROR(decode(start + chunk("ABCD", "") + chunk("IEND", "")), "has the PNG chunk \"ABCD\"");
  EXPECT_ERROR(decode(start + chunk("IDAT", "no zlib")), "whose pixels are damaged");
}

TEST(PngReader, RequestsMemoryFirst) {
  // 100 bytes that say 12 GB.
  EXPECT_ERROR(decode(png({.width = 1u << 16, .height = 1u << 16}, "")),
               "65536 x 65536 pixels needs 12 GiB of memory");
}

}  // namespace
}  // namespace openworld

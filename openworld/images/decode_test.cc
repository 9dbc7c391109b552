#include "openworld/images/decode.h"

#include <map>

#include "openworld/images/test_util.h"
#include "openworld/io/png_writer.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

Image decode_file(const fs::path& path, std::int64_t max_pixels = pixel_limit()) {
  const Origin origin{"decode", path.string()};
  return decode_image(map_file(origin).values, origin, max_pixels);
}

Image decode_text(const std::string& text, std::int64_t max_pixels = pixel_limit()) {
  return decode_image(std::as_bytes(std::span(text)), {"f", "x"}, max_pixels);
}

// The files of the oracle whose names end so.
std::vector<fs::path> image_files(const std::string& folder, const std::string& end) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(testing::oracle(folder))) {
    if (entry.path().string().ends_with(end)) files.push_back(entry.path());
  }
  return files;
}

TEST(DecodeImage, GivesThePixelsOfPillow) {
  REQUIRE_ORACLE("decode");
  for (const auto& [extension, least] :
       std::map<std::string, std::size_t>{{".jpg", 7 * 16}, {".png", 6 * 36}, {".webp", 7 * 5}}) {
    const auto files = image_files("decode", extension);
    EXPECT_GE(files.size(), least) << extension;
    for (const fs::path& file : files) {
      SCOPED_TRACE(file);
      EXPECT_TRUE(
          testing::same_pixels(decode_file(file), testing::load_pixels(file.string() + ".npy")));
    }
  }
}

// Files cut at any place and with any bit turned. JPEG and WebP: the verdict is Pillow's. PNG: also
// refused is what has a wrong checksum or length of pixel data, which Pillow ignores.
TEST(DecodeImage, RefusesWhatPillowRefuses) {
  REQUIRE_ORACLE("mutated");
  std::size_t refused = 0, equal = 0, stricter = 0;
  for (const auto& entry : fs::directory_iterator(testing::oracle("mutated"))) {
    const fs::path& file = entry.path();
    if (file.extension() == ".npy") continue;
    SCOPED_TRACE(file);
    const bool accepted = fs::exists(file.string() + ".npy");
    try {
      const Image image = decode_file(file);
      ASSERT_TRUE(accepted);
      EXPECT_TRUE(testing::same_pixels(image, testing::load_pixels(file.string() + ".npy")));
      ++equal;
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(message.find("[decode] " + file.string() + ": is "), 0u) << message;
      EXPECT_EQ(message.find('\n'), std::string::npos) << message;
      ++(accepted ? stricter : refused);
      if (accepted) {
        EXPECT_TRUE(message.ends_with("IDAT: CRC error") ||
                    message.ends_with("PNG that cannot be decoded: the file is truncated"))
            << message;
      }
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(equal, 300u);
  EXPECT_LT(stricter, 30u);
}

TEST(DecodeImage, RefusesWhatIsNoImage) {
  EXPECT_ERROR(decode_text(""),
               "[f] x: is not an image of a known format: it starts with \"\"; "
               "expected one of JPEG, PNG, WebP");
  EXPECT_ERROR(decode_text("GIF89a" + std::string(100, '\0')), "it starts with \"GIF89a\\x00");
  EXPECT_ERROR(decode_text("\xff\xd8\xff"), "[f] x: is a JPEG that is truncated in its header");
  EXPECT_ERROR(decode_text("\x89PNG\r\n\x1a\n"),
               "[f] x: is a PNG that cannot be decoded: the file is truncated");
  EXPECT_ERROR(decode_text(std::string("RIFF\x20\0\0\0WEBP", 12)),
               "[f] x: is a WebP that cannot be decoded: its header is truncated");
}

// Every message of the decoders, from the oracle's files.
TEST(DecodeImage, SaysWhatIsWrong) {
  REQUIRE_ORACLE("decode");
  const auto bytes = [](const std::string& name) {
    return testing::read_file(testing::oracle("decode") / ("61x37_" + name));
  };
  const auto cut = [&](const std::string& name, double share) {
    const std::string whole = bytes(name);
    return whole.substr(0, static_cast<std::size_t>(share * static_cast<double>(whole.size())));
  };
  EXPECT_ERROR(decode_text(cut("444.jpg", 0.7)), "is a JPEG that is truncated after ");
  EXPECT_ERROR(decode_text(cut("444_progressive.jpg", 0.7)),
               "is a JPEG that is truncated in its scans");
  EXPECT_ERROR(decode_text(cut("lossy.webp", 0.5)), "truncated or its chunks are malformed");

  std::string file = bytes("444.jpg");
  const std::size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  file[frame + 4] = 12;
  EXPECT_ERROR(decode_text(file),
               "is a JPEG that cannot be decoded: Unsupported JPEG data precision");
  // A grey file that announces a second component.
  file = bytes("grey.jpg");
  file.insert(file.find("\xff\xc0") + 13, std::string("\2\x11\0", 3));
  file[file.find("\xff\xc0") + 3] += 3;
  file[file.find("\xff\xc0") + 9] = 2;
  EXPECT_ERROR(decode_text(file), "is a JPEG of 2 components; expected 1, 3 or 4");
  file = bytes("lossy.webp");
  file[file.find("VP8 ") + 8 + 3] = 'x';  // the start code of the key frame
  EXPECT_ERROR(decode_text(file), "is a WebP that cannot be decoded: its header is malformed");
  file = bytes("lossless.webp");
  std::fill(file.begin() + 40, file.end(), '\xff');
  EXPECT_ERROR(decode_text(file), "its pixel data are truncated or malformed");
}

TEST(DecodeImage, LimitsThePixels) {
  REQUIRE_ORACLE("decode");
  for (const std::string name : {"444.jpg", "colour2_8bit.png", "lossy.webp", "animated.webp"}) {
    SCOPED_TRACE(name);
    const fs::path file = testing::oracle("decode") / ("61x37_" + name);
    EXPECT_ERROR(decode_file(file, 61 * 37 - 1), "is 61 x 37 pixels; expected at most 2256");
    EXPECT_EQ(decode_file(file, 61 * 37).width, 61);
  }
}

// A row of 2^26 pixels took 4 GiB to resize.
TEST(DecodeImage, LimitsTheSides) {
  constexpr int kMost = 1 << 20;
  const auto row = [](int width) {
    const std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(width));
    return decode_text(make_png(width, 1, rgb, PngCompression::kStored));
  };
  EXPECT_EQ(row(kMost).width, kMost);
  EXPECT_ERROR(row(kMost + 1), "is 1048577 x 1 pixels; expected sides of at most 1048576");
}

// Neither more memory nor more time than the limit allows: the header says 65500 x 65500.
TEST(DecodeImage, BelievesNoHeader) {
  REQUIRE_ORACLE("decode");
  std::string file = testing::read_file(testing::oracle("decode") / "61x37_444.jpg");
  const std::size_t frame = file.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, "\xff\xdc\xff\xdc");
  EXPECT_ERROR(decode_text(file), "is 65500 x 65500 pixels; expected at most 67108864");
}

// A scan of a progressive file repeated 600 times is still a valid file, of 600 times the work.
TEST(DecodeImage, LimitsTheScans) {
  REQUIRE_ORACLE("decode");
  const std::string file =
      testing::read_file(testing::oracle("decode") / "61x37_grey_progressive.jpg");
  const std::size_t last = file.rfind("\xff\xda"), end = file.size() - 2;
  ASSERT_NE(last, std::string::npos);
  std::string scans;
  for (int i = 0; i < 600; ++i) scans += file.substr(last, end - last);
  EXPECT_ERROR(decode_text(file.substr(0, end) + scans + file.substr(end)), "more than 100 scans");
}

// 8192 x 8192 pixels are 2^20 blocks, which every scan costs. Those of arithmetic coding cost more.
TEST(DecodeImage, LimitsTheBlocksOfAllScans) {
  REQUIRE_ORACLE("decode");
  std::string file = testing::read_file(testing::oracle("decode") / "61x37_grey_progressive.jpg");
  const std::size_t frame = file.find("\xff\xc2");
  ASSERT_NE(frame, std::string::npos);
  file.replace(frame + 5, 4, std::string("\x20\0\x20\0", 4));
  const std::size_t last = file.rfind("\xff\xda"), end = file.size() - 2;
  const auto repeated = [&](int times) {
    std::string scans;
    for (int i = 0; i < times; ++i) scans += file.substr(last, end - last);
    return file.substr(0, end) + scans + file.substr(end);
  };
  EXPECT_EQ(decode_text(repeated(12)).width, 8192);
  EXPECT_ERROR(decode_text(repeated(65)), "its scans have too many blocks");
  file[frame + 1] = '\xca';
  EXPECT_ERROR(decode_text(repeated(12)), "its scans have too many blocks");
}

}  // namespace
}  // namespace openworld

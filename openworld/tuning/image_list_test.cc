#include "openworld/tuning/image_list.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "openworld/base/error.h"
#include "openworld/io/png_writer.h"

namespace openworld {
namespace {

namespace fs = std::filesystem;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

PixelImage two_pixels() {
  return {.rgb = make_column<std::uint8_t>({1, 2, 3, 250, 251, 252}), .width = 2, .height = 1};
}

TEST(ImageList, PixelsAreReadAsAPngFile) {
  ImageList list("test");
  list.add_path("/some/file.png");
  list.add_pixels(two_pixels());
  const Dataset dataset = list.dataset();
  ASSERT_EQ(dataset.samples.size(), 2u);
  EXPECT_EQ(dataset.samples[0].path, "/some/file.png");
  EXPECT_EQ(sample_name(dataset, 1), "image[1]");
  const std::vector<std::uint8_t> rgb = {1, 2, 3, 250, 251, 252};
  EXPECT_EQ(as_text(read_sample(dataset, 1).values), make_png(2, 1, rgb, PngCompression::kStored));
}

TEST(ImageList, FilesBesidePixelsAreReadFromDisk) {
  const fs::path folder = fs::temp_directory_path() / "openworld_image_list_test";
  fs::remove_all(folder);
  fs::create_directories(folder / "inner");
  std::ofstream(folder / "inner" / "b.png") << "two";
  std::ofstream(folder / "a.png") << "one";
  std::ofstream(folder / "notes.txt") << "not an image";
  ImageList list("test");
  list.add_pixels(two_pixels());
  list.add_path(folder.string());
  const Dataset dataset = list.dataset();
  ASSERT_EQ(dataset.samples.size(), 3u);
  EXPECT_EQ(dataset.samples[1].path, (folder / "a.png").string());
  EXPECT_EQ(as_text(read_sample(dataset, 1).values), "one");
  EXPECT_EQ(as_text(read_sample(dataset, 2).values), "two");
  fs::remove_all(folder);
}

TEST(ImageList, RefusesWhatIsNoImage) {
  ImageList list("test");
  PixelImage image = two_pixels();
  image.height = 2;
  EXPECT_EQ(error_of([&] { list.add_pixels(image); }),
            "[test] image[0] is 2 x 2 with 6 values; expected 3 a pixel, and one pixel or more");
  image.height = 0;
  EXPECT_NE(error_of([&] { list.add_pixels(image); }).find("is 2 x 0"), std::string::npos);
  const fs::path empty = fs::temp_directory_path() / "openworld_image_list_empty";
  fs::create_directories(empty);
  EXPECT_EQ(error_of([&] { list.add_path(empty.string()); }),
            "[test] " + empty.string() + ": has no images");
  fs::remove_all(empty);
}

}  // namespace
}  // namespace openworld

#pragma once

// What the tests of this folder share: what pillow_oracle.py wrote, and small images.

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "openworld/base/random.h"
#include "openworld/images/image.h"
#include "openworld/io/mapped_file.h"
#include "openworld/io/npy.h"
#include "openworld/io/test_util.h"

namespace openworld::testing {

inline std::filesystem::path oracle(const std::string& folder) {
  return std::filesystem::path(OPENWORLD_ORACLE_DIR) / folder;
}

// No skipping: ctest runs the oracle first, and only a test program started by hand can come
// before.
#define REQUIRE_ORACLE(folder)                                               \
  ASSERT_TRUE(std::filesystem::exists(::openworld::testing::oracle(folder))) \
      << "no " << ::openworld::testing::oracle(folder) << ": run ctest -R images.oracle"

inline NpyArray load_array(const std::filesystem::path& path) {
  const Origin origin{"test", path.string()};
  return parse_npy(map_file(origin), "array", origin);
}

// An array of pixels, [height, width, 3].
inline Image load_pixels(const std::filesystem::path& path) {
  const NpyArray array = load_array(path);
  EXPECT_EQ(array.header.dtype.name(), "|u1");
  EXPECT_EQ(array.header.shape.size(), 3u);
  Image image{
      static_cast<int>(array.header.shape.at(1)), static_cast<int>(array.header.shape.at(0)), {}};
  const auto* data = reinterpret_cast<const std::uint8_t*>(array.data.values.data());
  if (array.header.fortran_order) ADD_FAILURE() << path << " is in Fortran order";
  image.rgb.assign(data, data + array.header.data_size);
  return image;
}

inline std::vector<float> load_floats(const std::filesystem::path& path) {
  const NpyArray array = load_array(path);
  EXPECT_EQ(array.header.dtype.name(), "<f4");
  std::vector<float> values(array.header.count);
  std::memcpy(values.data(), array.data.values.data(), array.header.data_size);
  return values;
}

// Equal sizes and pixels, or the first place where they differ.
inline ::testing::AssertionResult same_pixels(const Image& got, const Image& expected) {
  if (got.width != expected.width || got.height != expected.height) {
    return ::testing::AssertionFailure() << got.width << " x " << got.height << ", expected "
                                         << expected.width << " x " << expected.height;
  }
  if (got.rgb.size() != expected.rgb.size()) {
    return ::testing::AssertionFailure()
           << got.rgb.size() << " bytes, expected " << expected.rgb.size();
  }
  for (std::size_t i = 0; i < got.rgb.size(); ++i) {
    if (got.rgb[i] != expected.rgb[i]) {
      const std::size_t pixel = i / 3, width = static_cast<std::size_t>(got.width);
      return ::testing::AssertionFailure()
             << "channel " << i % 3 << " at (" << pixel % width << ", " << pixel / width << ") is "
             << int{got.rgb[i]} << ", expected " << int{expected.rgb[i]};
    }
  }
  return ::testing::AssertionSuccess();
}

inline Image random_image(int width, int height, std::uint64_t seed) {
  Image image{width, height, {}};
  image.rgb.resize(std::size_t{3} * static_cast<std::size_t>(width) * height);
  Random random(seed);
  for (auto& value : image.rgb) value = static_cast<std::uint8_t>(random.below(256));
  return image;
}

}  // namespace openworld::testing

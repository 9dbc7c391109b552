#pragma once

// The values that tests/checkpoints/make_clip.py gives to every tensor, from its name alone.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/io/crc32.h"

namespace openworld::testing {

inline std::vector<float> values_of(const TensorSpec& tensor) {
  const std::uint32_t seed = crc32(std::as_bytes(std::span(tensor.name)));
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto mixed = static_cast<std::uint32_t>(seed + i * 2654435761u);
    values[i] = static_cast<float>(mixed >> 24) / 64 - 2;
  }
  return values;
}

// The model that is in the files.
inline ClipConfig written_config() {
  ClipConfig config;
  config.vision = {128, 2, 2, 512};
  config.text = {64, 3, 1, 256};
  config.patch = 8;
  config.embed = 32;
  config.context = 16;
  config.vocabulary = 100;
  config.preprocessing.image_size = 32;
  return config;
}

// The path of one of them. It is missing only if ctest has not run make_clip.py.
inline std::string checkpoint(const std::string& name) {
  return std::string(OPENWORLD_CHECKPOINTS_DIR) + "/" + name;
}

#define SKIP_WITHOUT_CHECKPOINTS()                                                    \
  if (!std::filesystem::exists(::openworld::testing::checkpoint("bare.safetensors"))) \
  GTEST_SKIP() << "no checkpoints; run tests/checkpoints/make_clip.py " << OPENWORLD_CHECKPOINTS_DIR

}  // namespace openworld::testing

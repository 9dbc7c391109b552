#include "openworld/checkpoint/clip_config.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

// Counts of openai/CLIP's own modules.
TEST(ClipConfig, CountsTheParametersOfThePublishedModels) {
  EXPECT_EQ(parameter_count(vit_b32_config()), 151'277'313);
  EXPECT_EQ(parameter_count(vit_b16_config()), 149'620'737);
  EXPECT_EQ(parameter_count(vit_l14_config()), 427'616'513);
  EXPECT_EQ(clip_tensors(vit_b16_config()).size(), 302u);
  EXPECT_EQ(clip_tensors(vit_l14_config()).size(), 446u);
}

TEST(ClipConfig, AStemShrinksTheGrid) {
  ClipConfig config = vit_b16_config();
  config.patch = 2;
  config.preprocessing.image_size = 28;
  config.stem = {{16, 1}, {32, 2}};
  EXPECT_EQ(config.grid(), 7);
}

}  // namespace
}  // namespace openworld

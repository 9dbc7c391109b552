#include "openworld/checkpoint/clip_config.h"

#include <gtest/gtest.h>

namespace openworld {
namespace {

ClipConfig vit(std::int64_t patch, TowerConfig vision, TowerConfig text, std::int64_t embed) {
  ClipConfig config;
  config.vision = vision;
  config.text = text;
  config.patch = patch;
  config.embed = embed;
  config.context = 77;
  config.vocabulary = 49408;
  return config;
}

// Counts of the reference modules, methods-spec 1.1.
TEST(ClipConfig, CountsTheParametersOfThePublishedModels) {
  const TowerConfig text = {512, 12, 8, 2048};
  const ClipConfig b32 = vit(32, {768, 12, 12, 3072}, text, 512);
  const ClipConfig b16 = vit(16, {768, 12, 12, 3072}, text, 512);
  const ClipConfig l14 = vit(14, {1024, 24, 16, 4096}, {768, 12, 12, 3072}, 768);
  EXPECT_EQ(parameter_count(b32), 151'277'313);
  EXPECT_EQ(parameter_count(b16), 149'620'737);
  EXPECT_EQ(parameter_count(l14), 427'616'513);
  EXPECT_EQ(clip_tensors(b16).size(), 302u);
  EXPECT_EQ(clip_tensors(l14).size(), 446u);
}

TEST(ClipConfig, AStemShrinksTheGrid) {
  ClipConfig config = vit(2, {64, 2, 2, 256}, {64, 2, 2, 256}, 32);
  config.preprocessing.image_size = 28;
  config.stem = {{16, 1}, {32, 2}};
  EXPECT_EQ(config.grid(), 7);
}

}  // namespace
}  // namespace openworld

#include "openworld/checkpoint/tensor_names.h"

#include <gtest/gtest.h>

#include <set>

namespace openworld {
namespace {

using Shape = std::vector<std::int64_t>;

TEST(TensorNames, OpenAiHasTheNamesOfTheProject) {
  const auto parts = stored_parts({"visual.proj", {8, 4}}, TensorNames::kOpenAi);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].name, "visual.proj");
  EXPECT_EQ(parts[0].shape, (Shape{8, 4}));
  EXPECT_FALSE(parts[0].transposed);
}

TEST(TensorNames, HuggingFaceTransposesAndSplits) {
  const auto projection = stored_parts({"visual.proj", {8, 4}}, TensorNames::kHuggingFace);
  ASSERT_EQ(projection.size(), 1u);
  EXPECT_EQ(projection[0].name, "visual_projection.weight");
  EXPECT_EQ(projection[0].shape, (Shape{4, 8}));
  EXPECT_TRUE(projection[0].transposed);

  const auto attention = stored_parts({"transformer.resblocks.11.attn.in_proj_weight", {12, 4}},
                                      TensorNames::kHuggingFace);
  ASSERT_EQ(attention.size(), 3u);
  EXPECT_EQ(attention[0].name, "text_model.encoder.layers.11.self_attn.q_proj.weight");
  EXPECT_EQ(attention[2].name, "text_model.encoder.layers.11.self_attn.v_proj.weight");
  EXPECT_EQ(attention[1].shape, (Shape{4, 4}));
}

// 16 tensors a block instead of 12, and no name twice.
TEST(TensorNames, EveryTensorHasNamesOfItsOwn) {
  ClipConfig config;
  config.vision = {8, 2, 1, 16};
  config.text = {4, 3, 1, 8};
  config.patch = 2;
  config.stem = {{4, 2}};
  config.preprocessing.image_size = 8;
  std::set<std::string> names;
  std::int64_t size = 0;
  for (const TensorSpec& tensor : clip_tensors(config)) {
    for (const StoredPart& part : stored_parts(tensor, TensorNames::kHuggingFace)) {
      EXPECT_TRUE(names.insert(part.name).second) << part.name;
      EXPECT_FALSE(is_bookkeeping(part.name));
      size += TensorSpec{part.name, part.shape}.size();
    }
  }
  EXPECT_EQ(names.size(), 14u + 2 + 16 * (2 + 3));
  EXPECT_EQ(size, parameter_count(config));
  EXPECT_TRUE(names.contains("vision_model.embeddings.stem.0.bias"));
}

}  // namespace
}  // namespace openworld

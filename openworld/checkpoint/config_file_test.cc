#include "openworld/checkpoint/config_file.h"

#include "openworld/checkpoint/save_clip.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

TEST(ReadClipConfig, KnowsNames) {
  EXPECT_EQ(read_clip_config("vit-b-16").patch, 16);
  EXPECT_LE(parameter_count(read_clip_config("pocket")), 4'000'000);
  for (const NamedConfig& row : named_configs()) {
    EXPECT_GT(read_clip_config(std::string(row.name)).grid(), 1) << row.name;
  }
}

TEST(ReadClipConfig, ReadsWhatSaveWrites) {
  const TempFolder folder;
  const ClipConfig config = pocket_config();
  save_clip_checkpoint(folder / "m", config, [](const TensorSpec& tensor) {
    static std::vector<float> zeros;
    zeros.assign(static_cast<std::size_t>(tensor.size()), 0);
    return std::span<const float>(zeros);
  });
  for (const char* path : {"m", "m/config.json"}) {
    const ClipConfig read = read_clip_config(folder / path);
    const auto expected = clip_tensors(config), got = clip_tensors(read);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      EXPECT_EQ(got[i].name, expected[i].name);
      EXPECT_EQ(got[i].shape, expected[i].shape);
    }
    EXPECT_EQ(read.preprocessing, config.preprocessing);
    EXPECT_EQ(read.vision.heads, config.vision.heads);
    EXPECT_EQ(read.activation, config.activation);
  }
}

TEST(ReadClipConfig, SaysWhatIsWrong) {
  const TempFolder folder;
  const auto read = [&](const std::string& text) {
    read_clip_config(folder.write("config.json", text));
  };
  EXPECT_ERROR(read_clip_config("vit-x"),
               "vit-x: does not exist; expected one of pocket, vit-b-32");
  EXPECT_ERROR(read("{"), "config.json");
  EXPECT_ERROR(
      read(
          R"({"text_config": {}, "vision_config": {"hidden_size": 100, "num_attention_heads": 3}})"),
      "3 heads in a vision tower of width 100");
  EXPECT_ERROR(read(R"({"text_config": {}, "vision_config": {"patch_size": 0}})"), "patch");
  EXPECT_ERROR(read(R"({"text_config": {}, "vision_config": {"image_size": 8}})"),
               "images of 8 pixels in patches of 32; expected a patch at least");
  EXPECT_ERROR(read(R"({"text_config": {}, "vision_config": {"image_size": 100000,
                        "patch_size": 1}})"),
               "image size");
  EXPECT_ERROR(read(R"({"model_type": "siglip", "text_config": {}, "vision_config": {}})"),
               "model_type");
  EXPECT_ERROR(read("{}"), "no text_config");
}

}  // namespace
}  // namespace openworld

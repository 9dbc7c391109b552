#include "openworld/checkpoint/save_clip.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "openworld/base/random.h"
#include "openworld/checkpoint/clip_checkpoint.h"
#include "openworld/io/half.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using testing::TempFolder;

ClipConfig small_config(std::vector<StemLayer> stem) {
  ClipConfig config;
  config.vision = {24, 2, 3, 40};
  config.text = {16, 1, 4, 48};
  config.patch = 4;
  config.embed = 12;
  config.context = 9;
  config.vocabulary = 31;
  config.activation = Activation::kGelu;
  config.layer_norm_eps = 1e-6;
  config.stem = std::move(stem);
  config.preprocessing = {32, {0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
  return config;
}

// Random bits, so that NaNs, infinities and subnormal numbers are among them.
std::vector<float> random_floats(const TensorSpec& tensor) {
  Random random(std::hash<std::string>()(tensor.name));
  std::vector<float> values(static_cast<std::size_t>(tensor.size()));
  for (float& value : values) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(random.below(std::uint64_t{1} << 32)));
  }
  return values;
}

void save(const std::string& folder, const ClipConfig& config, TensorType type = TensorType::kF32,
          const std::vector<std::string>& vocabulary = {}) {
  std::vector<float> values;
  const auto source = [&](const TensorSpec& tensor) -> std::span<const float> {
    return values = random_floats(tensor);
  };
  save_clip_checkpoint(folder, config, source, type, vocabulary);
}

std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  for (const float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
  return result;
}

TEST(SaveClip, GivesBackEveryBit) {
  for (const auto& stem : {std::vector<StemLayer>{}, {{8, 2}, {6, 1}}}) {
    const TempFolder folder;
    const ClipConfig config = small_config(stem);
    save(folder / "m", config);
    const ClipCheckpoint model = open_clip_checkpoint(folder / "m");
    EXPECT_EQ(model.format(), "huggingface");
    EXPECT_TRUE(model.notes().empty());
    EXPECT_EQ(model.config().stem, stem);
    EXPECT_EQ(model.config().preprocessing, config.preprocessing);
    EXPECT_EQ(model.config().layer_norm_eps, 1e-6);
    EXPECT_EQ(model.config().activation, Activation::kGelu);
    EXPECT_EQ(model.config().vision.heads, 3);
    EXPECT_EQ(model.config().text.heads, 4);
    ASSERT_EQ(model.tensors().size(), clip_tensors(config).size());
    for (const TensorSpec& tensor : clip_tensors(config)) {
      std::vector<float> values(static_cast<std::size_t>(tensor.size()));
      model.read(tensor.name, values);
      EXPECT_EQ(bits(values), bits(random_floats(tensor))) << tensor.name;
    }
  }
}

TEST(SaveClip, HalvesAreRoundedOnce) {
  const TempFolder folder;
  const ClipConfig config = small_config({});
  save(folder / "m", config, TensorType::kF16);
  const ClipCheckpoint model = open_clip_checkpoint(folder / "m");
  EXPECT_EQ(model.stored_types(), std::vector{TensorType::kF16});
  for (const TensorSpec& tensor : clip_tensors(config)) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    std::vector<float> expected = random_floats(tensor);
    for (float& value : expected) value = half_to_float(float_to_half(value));
    model.read(tensor.name, values);
    EXPECT_EQ(bits(values), bits(expected)) << tensor.name;
  }
  const auto json = nlohmann::json::parse(testing::read_file(folder / "m/config.json"));
  EXPECT_EQ(json["torch_dtype"], "float16");
}

TEST(SaveClip, WritesTheSameBytesAgain) {
  const TempFolder folder;
  for (const char* name : {"a", "b"}) save(folder / name, small_config({{8, 2}}));
  for (const char* file : {"model.safetensors", "config.json", "preprocessor_config.json"}) {
    EXPECT_EQ(testing::read_file(folder / "a/" + file), testing::read_file(folder / "b/" + file));
  }
}

// The keys that transformers' CLIPConfig has for the two towers.
TEST(SaveClip, ConfigurationIsComplete) {
  const TempFolder folder;
  save(folder / "m", small_config({{8, 2}}));
  const auto json = nlohmann::json::parse(testing::read_file(folder / "m/config.json"));
  EXPECT_EQ(json["architectures"][0], "CLIPModel");
  EXPECT_EQ(json["model_type"], "clip");
  EXPECT_EQ(json["projection_dim"], 12);
  EXPECT_EQ(json["text_config"]["eos_token_id"], 30);
  EXPECT_EQ(json["text_config"]["bos_token_id"], 29);
  EXPECT_EQ(json["vision_config"]["openworld_stem"], nlohmann::json::parse("[[8, 2]]"));
  for (const char* key : {"hidden_size", "intermediate_size", "num_hidden_layers", "hidden_act",
                          "num_attention_heads", "layer_norm_eps", "projection_dim"}) {
    EXPECT_TRUE(json["text_config"].contains(key)) << key;
    EXPECT_TRUE(json["vision_config"].contains(key)) << key;
  }
}

TEST(SaveClip, CopiesTheVocabulary) {
  const TempFolder folder;
  const std::string merges = folder.write("merges.txt", "#version\na b\n");
  save(folder / "m", small_config({}), TensorType::kF32, {merges});
  const ClipCheckpoint model = open_clip_checkpoint(folder / "m");
  EXPECT_EQ(model.vocabulary_path(), folder / "m/merges.txt");
  EXPECT_EQ(testing::read_file(model.vocabulary_path()), "#version\na b\n");
  // In place, from its own vocabulary.
  save(folder / "m", small_config({}), TensorType::kF32, {model.vocabulary_path()});
  EXPECT_EQ(testing::read_file(folder / "m/merges.txt"), "#version\na b\n");
}

TEST(SaveClip, WhatIsLeftHalfWayDoesNotOpen) {
  const TempFolder folder;
  const ClipConfig config = small_config({});
  save(folder / "m", config);
  int calls = 0;
  const auto source = [&](const TensorSpec& tensor) -> std::span<const float> {
    static std::vector<float> values;
    if (++calls == 10) fail("test", "the source broke");
    return values = random_floats(tensor);
  };
  EXPECT_ERROR(save_clip_checkpoint(folder / "m", config, source), "the source broke");
  EXPECT_ERROR(open_clip_checkpoint(folder / "m"), "holds no checkpoint");
  EXPECT_ERROR(open_clip_checkpoint(folder / "m/model.safetensors"), "no config.json beside it");
  save(folder / "m", config);
  EXPECT_NO_THROW(open_clip_checkpoint(folder / "m"));
}

TEST(SaveClip, RefusesWhatItCannotWrite) {
  const TempFolder folder;
  const ClipConfig config = small_config({});
  EXPECT_ERROR(save(folder / "m", config, TensorType::kBF16), "cannot write BF16; expected F32 or");
  EXPECT_ERROR(save(folder / "m", config, TensorType::kF32, {folder / "none.txt"}), "cannot open");
  EXPECT_FALSE(std::filesystem::exists(folder / "m"));
  const auto empty = [](const TensorSpec&) { return std::span<const float>(); };
  EXPECT_ERROR(save_clip_checkpoint(folder / "m", config, empty), "got 0 values for");
  EXPECT_ERROR(save(folder.write("file", "") + "/m", config), "cannot create the folder");
}

}  // namespace
}  // namespace openworld

#include "openworld/checkpoint/clip_architecture.h"

#include <nlohmann/json.hpp>

#include "openworld/checkpoint/test_values.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

using Json = nlohmann::json;

const Origin kOrigin{"f", "x"};

Json hugging_face() {
  return Json::parse(R"({
    "model_type": "clip", "projection_dim": 32,
    "text_config": {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4,
                    "intermediate_size": 256, "hidden_act": "gelu", "layer_norm_eps": 1e-6,
                    "vocab_size": 100, "max_position_embeddings": 16, "eos_token_id": 2},
    "vision_config": {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 8,
                      "intermediate_size": 512, "hidden_act": "gelu", "layer_norm_eps": 1e-6,
                      "image_size": 32, "patch_size": 8}})");
}

Json open_clip() {
  return Json::parse(R"({
    "model_cfg": {"embed_dim": 32,
      "vision_cfg": {"image_size": 32, "layers": 2, "width": 128, "patch_size": 8,
                     "head_width": 32, "mlp_ratio": 4.0, "patch_dropout": 0.5},
      "text_cfg": {"context_length": 16, "vocab_size": 100, "width": 64, "heads": 2, "layers": 3}},
    "preprocess_cfg": {"mean": [0.1, 0.2, 0.3], "std": [1, 2, 3], "interpolation": "bicubic"}})");
}

using Apply = void (*)(const Json&, const Origin&, ClipConfig&);

// `good` with the value at `pointer` replaced, or taken away if it is null.
ClipConfig changed(Apply apply, Json good, const std::string& pointer, const std::string& value) {
  good[Json::json_pointer(pointer)] = Json::parse(value);
  ClipConfig config = testing::written_config();
  apply(good, kOrigin, config);
  return config;
}

struct Case {
  std::string pointer, value, error;
};

void expect_refusals(Apply apply, const Json& good, const std::vector<Case>& cases) {
  ClipConfig config = testing::written_config();
  ASSERT_NO_THROW(apply(good, kOrigin, config));
  for (const Case& each : cases) {
    EXPECT_ERROR(changed(apply, good, each.pointer, each.value), "[f] x: " + each.error);
  }
}

TEST(HuggingFaceConfig, CompletesTheShapes) {
  ClipConfig config = testing::written_config();
  apply_hugging_face_config(hugging_face(), kOrigin, config);
  EXPECT_EQ(config.text.heads, 4);
  EXPECT_EQ(config.vision.heads, 8);
  EXPECT_EQ(config.activation, Activation::kGelu);
  EXPECT_EQ(config.layer_norm_eps, 1e-6);
  EXPECT_EQ(config.end_of_text(), 99) << "eos_token_id 2 in old files is wrong";
}

TEST(HuggingFaceConfig, AbsentKeysHaveTheDefaultsOfTransformers) {
  const Json json = Json::parse(R"({"text_config": {}, "vision_config": {"image_size": 32}})");
  ClipConfig config = testing::written_config();
  apply_hugging_face_config(json, kOrigin, config);
  EXPECT_EQ(config.text.heads, 8);
  EXPECT_EQ(config.vision.heads, 12);
  EXPECT_EQ(config.activation, Activation::kQuickGelu);
  EXPECT_EQ(config.layer_norm_eps, 1e-5);
}

TEST(HuggingFaceConfig, RefusesWhatItCannotBe) {
  expect_refusals(
      apply_hugging_face_config, hugging_face(),
      {{"/model_type", "\"siglip\"", "model_type is \"siglip\"; expected \"clip\""},
       {"/text_config", "null", "has no text_config object"},
       {"/vision_config", "[]", "has no vision_config object"},
       {"/projection_dim", "64", "projection_dim is 64; expected 32, as in the tensors"},
       {"/text_config/hidden_size", "65", "text_config.hidden_size is 65; expected 64"},
       {"/text_config/hidden_size", "-64", "text_config.hidden_size is -64; expected a whole"},
       {"/text_config/hidden_size", "18446744073709551615", "text_config.hidden_size is 184467"},
       {"/text_config/hidden_size", "64.0", "text_config.hidden_size is 64.0; expected a whole"},
       {"/vision_config/num_hidden_layers", "3", "vision_config.num_hidden_layers is 3"},
       {"/vision_config/intermediate_size", "3", "vision_config.intermediate_size is 3"},
       {"/vision_config/patch_size", "16", "vision_config.patch_size is 16; expected 8"},
       {"/text_config/vocab_size", "49408", "text_config.vocab_size is 49408; expected 100"},
       {"/text_config/max_position_embeddings", "77", "text_config.max_position_embeddings is 77"},
       {"/text_config/hidden_act", "\"relu\"", "text_config.hidden_act is \"relu\"; expected"},
       {"/vision_config/hidden_act", "\"quick_gelu\"",
        "vision_config.hidden_act is \"quick_gelu\"; expected that of text_config"},
       {"/vision_config/layer_norm_eps", "1e-5", "vision_config.layer_norm_eps is 1e-05; expected"},
       {"/text_config/layer_norm_eps", "0", "text_config.layer_norm_eps is 0; expected a number"},
       {"/vision_config/openworld_stem", "[[8]]", "vision_config.openworld_stem is [[8]]; expect"},
       {"/vision_config/openworld_stem", "[[8, 0]]", "vision_config.openworld_stem is [[8,0]]"}});
}

TEST(OpenClipConfig, CompletesTheShapes) {
  ClipConfig config = testing::written_config();
  apply_open_clip_config(open_clip(), kOrigin, config);
  EXPECT_EQ(config.text.heads, 2);
  EXPECT_EQ(config.vision.heads, 4);
  EXPECT_EQ(config.activation, Activation::kGelu);
  EXPECT_EQ(config.preprocessing.std, (std::array<double, 3>{1, 2, 3}));
  config = changed(apply_open_clip_config, open_clip(), "/model_cfg/quick_gelu", "true");
  EXPECT_EQ(config.activation, Activation::kQuickGelu);
  config =
      changed(apply_open_clip_config, open_clip(), "/model_cfg/vision_cfg/ls_init_value", "null");
  EXPECT_EQ(config.vision.heads, 4);
}

TEST(OpenClipConfig, RefusesWhatItCannotBe) {
  const std::string vision = "/model_cfg/vision_cfg/", text = "/model_cfg/text_cfg/";
  expect_refusals(
      apply_open_clip_config, open_clip(),
      {{"/model_cfg", "null", "has no model_cfg object"},
       {vision + "layers", "[3, 4, 6, 3]",
        "model_cfg.vision_cfg.layers is [3,4,6,3]; expected one "
        "number: ResNets are not supported"},
       {vision + "timm_model_name", "\"vit\"", "model_cfg.vision_cfg.timm_model_name is"},
       {text + "hf_model_name", "\"roberta\"", "model_cfg.text_cfg.hf_model_name is"},
       {text + "hf_tokenizer_name", "\"t5\"", "model_cfg.text_cfg.hf_tokenizer_name is"},
       {vision + "pool_type", "\"avg\"", "model_cfg.vision_cfg.pool_type is \"avg\"; expected"},
       {text + "no_causal_mask", "true", "model_cfg.text_cfg.no_causal_mask is true; expected no"},
       {vision + "head_width", "0", "model_cfg.vision_cfg.head_width is 0; expected a divisor"},
       {vision + "head_width", "48", "model_cfg.vision_cfg.head_width is 48; expected a divisor"},
       {vision + "mlp_ratio", "2.0", "model_cfg.vision_cfg.mlp_ratio is 2.0; expected 512 / 128"},
       {"/preprocess_cfg/interpolation", "\"bilinear\"", "preprocess_cfg.interpolation is"},
       {"/preprocess_cfg/resize_mode", "\"squash\"", "preprocess_cfg.resize_mode is"},
       {"/preprocess_cfg/mean", "[1, 2]", "preprocess_cfg.mean is [1,2]; expected three numbers"},
       {"/preprocess_cfg/std", "[1, 0, 1]",
        "preprocess_cfg.std is [1,0,1]; expected three numbers "
        "above 0"}});
}

TEST(PreprocessorConfig, TakesBothFormsOfSizes) {
  const Json older = Json::parse(R"({"size": 32, "crop_size": 32, "image_mean": [0, 0, 0]})");
  const Json newer = Json::parse(R"({"size": {"shortest_edge": 32}, "resample": 3,
      "crop_size": {"height": 32, "width": 32}, "image_std": [1, 1, 1]})");
  ClipConfig config = testing::written_config();
  apply_preprocessor_config(older, kOrigin, config);
  EXPECT_EQ(config.preprocessing.mean, (std::array<double, 3>{0, 0, 0}));
  EXPECT_EQ(config.preprocessing.std, Preprocessing{}.std);
  apply_preprocessor_config(newer, kOrigin, config);
  EXPECT_EQ(config.preprocessing.std, (std::array<double, 3>{1, 1, 1}));
  expect_refusals(
      apply_preprocessor_config, newer,
      {{"/size/shortest_edge", "64", "size is {\"shortest_edge\":64}; expected shortest_edge 32"},
       {"/size", "{\"height\": 32, \"width\": 32}", "size is {"},
       {"/size", "224", "size is 224; expected 32, the image_size of the vision tower"},
       {"/crop_size/width", "31", "crop_size is {"},
       {"/crop_size", "224", "crop_size is 224; expected 32"},
       {"/resample", "2", "resample is 2; expected 3, bicubic"},
       {"/do_center_crop", "false", "do_center_crop is false; expected true"},
       {"/rescale_factor", "1", "rescale_factor is 1; expected 1/255"}});
}

TEST(CheckConfig, RefusesImpossibleSizes) {
  const auto check = [](auto&& change) {
    ClipConfig config = testing::written_config();
    change(config);
    check_config(config, 17, kOrigin);
  };
  EXPECT_NO_THROW(check([](ClipConfig&) {}));
  EXPECT_ERROR(check([](ClipConfig& c) { c.text.heads = 5; }), "has 5 heads in a text tower of");
  EXPECT_ERROR(check([](ClipConfig& c) { c.vision.heads = 0; }), "has vision heads 0; expected 1");
  EXPECT_ERROR(check([](ClipConfig& c) { c.embed = 0; }), "has embedding dimension 0");
  EXPECT_ERROR(check([](ClipConfig& c) { c.vocabulary = 1 << 25; }), "has vocabulary 33554432");
  EXPECT_ERROR(check([](ClipConfig& c) { c.preprocessing.image_size = 48; }),
               "has 17 positions of patches; expected 1 + 6 x 6 for images of 48 pixels");
}

}  // namespace
}  // namespace openworld

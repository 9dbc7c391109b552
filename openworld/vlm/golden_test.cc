// An attention block and a vision tower of OpenAI's code, whose inputs, weights and outputs the npm
// package modelzoo carries (test/clip_data.json, made by its test/clip_gen.py).

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "openworld/vlm/clip.h"
#include "openworld/vlm/test_util.h"

namespace openworld {
namespace {

using at::Tensor;
using Json = nlohmann::json;

std::optional<Json> modelzoo() {
  std::ifstream file(OPENWORLD_GOLDEN_DIR "/modelzoo/test/clip_data.json");
  if (!file) return std::nullopt;
  return Json::parse(file);
}

#define LOAD_MODELZOO_OR_SKIP(data) \
  const auto data = modelzoo();     \
  if (!data)                        \
  GTEST_SKIP() << "the npm package modelzoo is not there; tests/golden/fetch.sh fetches it"

// Nested arrays as a tensor.
Tensor tensor_of(const Json& json) {
  std::vector<std::int64_t> shape;
  for (const Json* level = &json; level->is_array(); level = &level->front()) {
    shape.push_back(static_cast<std::int64_t>(level->size()));
  }
  Tensor tensor = at::empty(shape);
  float* next = tensor.data_ptr<float>();
  const auto flatten = [&next](const auto& self, const Json& level) -> void {
    if (level.is_array()) {
      for (const Json& item : level) self(self, item);
    } else {
      *next++ = level.get<float>();
    }
  };
  flatten(flatten, json);
  return tensor;
}

TEST(Golden, AttentionBlock) {
  LOAD_MODELZOO_OR_SKIP(data);
  const Json& weights = data->at("attn_weights");
  const auto affine = [&](const std::string& weight, const std::string& bias) {
    return Affine{tensor_of(weights.at(weight)), tensor_of(weights.at(bias))};
  };
  const BlockWeights block = {affine("ln_1.weight", "ln_1.bias"),
                              affine("attn.in_proj_weight", "attn.in_proj_bias"),
                              affine("attn.out_proj.weight", "attn.out_proj.bias"),
                              affine("ln_2.weight", "ln_2.bias"),
                              affine("mlp.c_fc.weight", "mlp.c_fc.bias"),
                              affine("mlp.c_proj.weight", "mlp.c_proj.bias")};
  ClipConfig config;
  config.vision = {data->at("attn_config").at("d_model"), 1, data->at("attn_config").at("n_head"),
                   32};
  const Tensor output = vision_block(tensor_of(data->at("attn_input")), block, config);
  EXPECT_LT(relative_error(output, tensor_of(data->at("attn_output"))), 1e-6);
}

TEST(Golden, VisionTransformer) {
  LOAD_MODELZOO_OR_SKIP(data);
  const Json& sizes = data->at("vit_config");
  ClipConfig config;
  const std::int64_t width = sizes.at("width");
  config.vision = {width, sizes.at("layers"), sizes.at("heads"), 4 * width};
  config.patch = sizes.at("patch_size");
  config.embed = sizes.at("output_dim");
  config.preprocessing.image_size = sizes.at("input_resolution");
  const Clip clip = make_clip(config, [&](const TensorSpec& spec) {
    if (!spec.name.starts_with("visual.")) return at::empty(spec.shape);
    Tensor tensor = tensor_of(data->at("vit_weights").at(spec.name.substr(7)));
    EXPECT_EQ(tensor.sizes(), spec.shape) << spec.name;
    return tensor;
  });
  const Tensor images = tensor_of(data->at("vit_input")).permute({0, 3, 1, 2}).contiguous();
  const Tensor features = encode_images(clip.vision, images).features.select(1, 0);
  EXPECT_LT(relative_error(features, tensor_of(data->at("vit_output"))), 1e-6);
}

}  // namespace
}  // namespace openworld

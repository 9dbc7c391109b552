#include "openworld/checkpoint/named_tensors.h"

#include "openworld/checkpoint/clip_architecture.h"
#include "openworld/checkpoint/test_values.h"
#include "openworld/io/test_util.h"

namespace openworld {
namespace {

const Origin kOrigin{"f", "x"};

// Tensors without data: only names, types and shapes are looked at here.
StoredTensor without_data(const std::string& name, const std::vector<std::int64_t>& shape) {
  return {name, TensorType::kF32, shape, row_major_strides(shape), {}};
}

std::vector<StoredTensor> whole_model(TensorNames names) {
  std::vector<StoredTensor> tensors;
  for (const TensorSpec& spec : clip_tensors(testing::written_config())) {
    for (const StoredPart& part : stored_parts(spec, names)) {
      tensors.push_back(without_data(part.name, part.shape));
    }
  }
  return tensors;
}

void match(const std::vector<StoredTensor>& tensors) {
  const NamedTensors named(tensors, kOrigin);
  named.match(config_of_shapes(named, kOrigin));
}

StoredTensor& tensor_named(std::vector<StoredTensor>& tensors, const std::string& name) {
  return *std::find_if(tensors.begin(), tensors.end(),
                       [&](const StoredTensor& t) { return t.name == name; });
}

void drop(std::vector<StoredTensor>& tensors, const std::string& part_of_name) {
  std::erase_if(tensors, [&](const StoredTensor& t) {
    return t.name.find(part_of_name) != std::string::npos;
  });
}

TEST(NamedTensors, FindsTheShapesInBothSchemes) {
  for (const TensorNames names : {TensorNames::kOpenAi, TensorNames::kHuggingFace}) {
    const NamedTensors named(whole_model(names), kOrigin);
    EXPECT_EQ(named.scheme(), names);
    EXPECT_EQ(named.count(&NumberedPrefixes::text_blocks), 3);
    EXPECT_EQ(named.count(&NumberedPrefixes::stem), 0);
    for (const TensorSpec& spec : clip_tensors(testing::written_config())) {
      EXPECT_EQ(named.shape(spec.name), spec.shape) << spec.name;
    }
    EXPECT_NO_THROW(match(whole_model(names)));
  }
}

TEST(NamedTensors, ListsEveryProblemInOneLine) {
  auto tensors = whole_model(TensorNames::kHuggingFace);
  drop(tensors, "vision_model.encoder.layers.1.self_attn.k_proj");
  tensor_named(tensors, "text_projection.weight").shape = {32, 65};
  tensor_named(tensors, "logit_scale").type = TensorType::kI64;
  tensors.push_back(without_data("extra\n", {3}));
  EXPECT_ERROR(match(tensors),
               "[f] x: missing: vision_model.encoder.layers.1.self_attn.k_proj.weight, "
               "vision_model.encoder.layers.1.self_attn.k_proj.bias; unexpected: extra\\x0a; "
               "misshapen: logit_scale has type I64, expected a float type, "
               "text_projection.weight is [32, 65], expected [32, 64]");
}

TEST(NamedTensors, CutsLongLists) {
  auto tensors = whole_model(TensorNames::kOpenAi);
  drop(tensors, ".ln_");
  EXPECT_ERROR(match(tensors), "transformer.resblocks.1.ln_2.bias and 16 more");
}

TEST(NamedTensors, NamesWhatSizesNeed) {
  auto tensors = whole_model(TensorNames::kOpenAi);
  drop(tensors, "visual.conv1.weight");
  drop(tensors, "token_embedding");
  EXPECT_ERROR(match(tensors), "missing: token_embedding.weight, visual.conv1.weight");
  EXPECT_ERROR(match({without_data("bert.pooler", {3})}), "is not a supported CLIP; missing: ");
  EXPECT_ERROR(match({}), "has no tensors");
  tensors = whole_model(TensorNames::kOpenAi);
  tensor_named(tensors, "positional_embedding").shape = {16};
  EXPECT_ERROR(match(tensors), "misshapen: positional_embedding is [16], expected 2 dimensions");
}

TEST(NamedTensors, RefusesRelatives) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"visual.layer1.0.conv1.weight", "its vision tower is a ResNet"},
      {"visual.trunk.patch_embed.proj.weight", "its vision tower is a timm model"},
      {"text.transformer.embeddings.word_embeddings.weight", "is a Hugging Face model"},
      {"logit_bias", "it is a SigLIP model"},
  };
  for (const auto& [name, error] : cases) {
    auto tensors = whole_model(TensorNames::kOpenAi);
    tensors.push_back(without_data(name, {1}));
    EXPECT_ERROR(match(tensors), error);
  }
  auto tensors = whole_model(TensorNames::kOpenAi);
  drop(tensors, "in_proj_bias");
  EXPECT_ERROR(match(tensors), "its attention has no bias");
}

TEST(NamedTensors, TakesPrefixesAway) {
  auto tensors = whole_model(TensorNames::kOpenAi);
  for (StoredTensor& tensor : tensors) {
    const bool text = !tensor.name.starts_with("visual.") && tensor.name != "logit_scale";
    tensor.name = (text ? "module.text." : "module.") + tensor.name;
  }
  tensors.push_back(without_data("module.text.attn_mask", {16, 16}));
  EXPECT_NO_THROW(match(tensors));
  EXPECT_TRUE(NamedTensors(tensors, kOrigin).has_text_prefix());
  tensors.push_back(without_data("module.ln_final.bias", {64}));
  EXPECT_ERROR(match(tensors), "tensor \"ln_final.bias\" appears twice");
}

TEST(NamedTensors, ABlockFarOffIsUnexpected) {
  auto tensors = whole_model(TensorNames::kOpenAi);
  tensors.push_back(without_data("transformer.resblocks.999999999999.ln_1.bias", {64}));
  EXPECT_ERROR(match(tensors), "unexpected: transformer.resblocks.999999999999.ln_1.bias");
}

}  // namespace
}  // namespace openworld

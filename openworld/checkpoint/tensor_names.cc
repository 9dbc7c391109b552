#include "openworld/checkpoint/tensor_names.h"

#include <algorithm>
#include <span>

namespace openworld {
namespace {

struct NameRow {
  std::string_view name;
  std::vector<std::string_view> hugging_face;  // its parts
  bool transposed = false;
};

const NameRow kNames[] = {
    {"logit_scale", {"logit_scale"}},
    {"token_embedding.weight", {"text_model.embeddings.token_embedding.weight"}},
    {"positional_embedding", {"text_model.embeddings.position_embedding.weight"}},
    {"ln_final.weight", {"text_model.final_layer_norm.weight"}},
    {"ln_final.bias", {"text_model.final_layer_norm.bias"}},
    {"text_projection", {"text_projection.weight"}, true},
    {"visual.class_embedding", {"vision_model.embeddings.class_embedding"}},
    {"visual.conv1.weight", {"vision_model.embeddings.patch_embedding.weight"}},
    {"visual.positional_embedding", {"vision_model.embeddings.position_embedding.weight"}},
    {"visual.ln_pre.weight", {"vision_model.pre_layrnorm.weight"}},  // the misspelling is real
    {"visual.ln_pre.bias", {"vision_model.pre_layrnorm.bias"}},
    {"visual.ln_post.weight", {"vision_model.post_layernorm.weight"}},
    {"visual.ln_post.bias", {"vision_model.post_layernorm.bias"}},
    {"visual.proj", {"visual_projection.weight"}, true},
};

// After "<prefix><number>.".
const NameRow kNumberedNames[] = {
    {"ln_1.weight", {"layer_norm1.weight"}},
    {"ln_1.bias", {"layer_norm1.bias"}},
    {"attn.in_proj_weight",
     {"self_attn.q_proj.weight", "self_attn.k_proj.weight", "self_attn.v_proj.weight"}},
    {"attn.in_proj_bias",
     {"self_attn.q_proj.bias", "self_attn.k_proj.bias", "self_attn.v_proj.bias"}},
    {"attn.out_proj.weight", {"self_attn.out_proj.weight"}},
    {"attn.out_proj.bias", {"self_attn.out_proj.bias"}},
    {"ln_2.weight", {"layer_norm2.weight"}},
    {"ln_2.bias", {"layer_norm2.bias"}},
    {"mlp.c_fc.weight", {"mlp.fc1.weight"}},
    {"mlp.c_fc.bias", {"mlp.fc1.bias"}},
    {"mlp.c_proj.weight", {"mlp.fc2.weight"}},
    {"mlp.c_proj.bias", {"mlp.fc2.bias"}},
    {"weight", {"weight"}},  // of a layer of the stem
    {"bias", {"bias"}},
};

constexpr NumberedPrefixes kOpenAiPrefixes = {"transformer.resblocks.",
                                              "visual.transformer.resblocks.", "visual.stem."};
constexpr NumberedPrefixes kHuggingFacePrefixes = {
    "text_model.encoder.layers.", "vision_model.encoder.layers.", "vision_model.embeddings.stem."};

const NameRow& find_row(std::span<const NameRow> rows, std::string_view name) {
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const NameRow& row) { return row.name == name; });
}

}  // namespace

NumberedPrefixes numbered_prefixes(TensorNames names) {
  return names == TensorNames::kOpenAi ? kOpenAiPrefixes : kHuggingFacePrefixes;
}

std::vector<StoredPart> stored_parts(const TensorSpec& tensor, TensorNames names) {
  if (names == TensorNames::kOpenAi) return {{tensor.name, tensor.shape}};
  const NameRow* row = nullptr;
  std::string prefix;
  for (const auto member : {&NumberedPrefixes::text_blocks, &NumberedPrefixes::vision_blocks,
                            &NumberedPrefixes::stem}) {
    const std::string_view ours = kOpenAiPrefixes.*member;
    if (!tensor.name.starts_with(ours)) continue;
    const std::string_view numbered = std::string_view(tensor.name).substr(ours.size());
    const std::size_t dot = numbered.find('.');
    row = &find_row(kNumberedNames, numbered.substr(dot + 1));
    prefix = std::string(kHuggingFacePrefixes.*member) + std::string(numbered.substr(0, dot + 1));
  }
  if (row == nullptr) row = &find_row(kNames, tensor.name);
  std::vector<std::int64_t> shape = tensor.shape;
  if (row->transposed) std::swap(shape[0], shape[1]);
  if (!shape.empty()) shape[0] /= static_cast<std::int64_t>(row->hugging_face.size());
  std::vector<StoredPart> parts;
  for (const std::string_view name : row->hugging_face) {
    parts.push_back({prefix + std::string(name), shape, row->transposed});
  }
  return parts;
}

bool is_bookkeeping(std::string_view name) {
  constexpr std::string_view kNamesOfNoUse[] = {"input_resolution",
                                                "context_length",
                                                "vocab_size",
                                                "attn_mask",
                                                "text_model.embeddings.position_ids",
                                                "vision_model.embeddings.position_ids"};
  return std::find(std::begin(kNamesOfNoUse), std::end(kNamesOfNoUse), name) !=
         std::end(kNamesOfNoUse);
}

}  // namespace openworld

#include "openworld/checkpoint/clip_config.h"

#include <fmt/format.h>

namespace openworld {
namespace {

void add_blocks(std::vector<TensorSpec>& tensors, const std::string& tower,
                const TowerConfig& config) {
  const std::int64_t d = config.width;
  for (std::int64_t i = 0; i < config.layers; ++i) {
    const std::string block = fmt::format("{}.resblocks.{}.", tower, i);
    const auto add = [&](std::string_view name, std::vector<std::int64_t> shape) {
      tensors.push_back({block + std::string(name), std::move(shape)});
    };
    add("ln_1.weight", {d});
    add("ln_1.bias", {d});
    add("attn.in_proj_weight", {3 * d, d});
    add("attn.in_proj_bias", {3 * d});
    add("attn.out_proj.weight", {d, d});
    add("attn.out_proj.bias", {d});
    add("ln_2.weight", {d});
    add("ln_2.bias", {d});
    add("mlp.c_fc.weight", {config.mlp, d});
    add("mlp.c_fc.bias", {config.mlp});
    add("mlp.c_proj.weight", {d, config.mlp});
    add("mlp.c_proj.bias", {d});
  }
}

ClipConfig published(std::int64_t patch, TowerConfig vision, TowerConfig text) {
  ClipConfig config;
  config.vision = vision;
  config.text = text;
  config.patch = patch;
  config.embed = text.width;
  config.context = 77;
  config.vocabulary = 49408;
  return config;
}

}  // namespace

ClipConfig pocket_config() {
  ClipConfig config;
  config.vision = {192, 3, 6, 768};
  config.text = {160, 3, 5, 640};
  config.patch = 1;
  config.embed = 160;
  config.context = 40;
  config.vocabulary = 4514;
  config.activation = Activation::kGelu;
  config.stem = {{32, 2}, {64, 2}, {128, 1}, {192, 2}};
  // About those of drawings in all looks together.
  config.preprocessing = {32, {0.85, 0.85, 0.85}, {0.28, 0.28, 0.28}};
  return config;
}

ClipConfig vit_b32_config() {
  return published(32, {768, 12, 12, 3072}, {512, 12, 8, 2048});
}

ClipConfig vit_b16_config() {
  return published(16, {768, 12, 12, 3072}, {512, 12, 8, 2048});
}

ClipConfig vit_l14_config() {
  return published(14, {1024, 24, 16, 4096}, {768, 12, 12, 3072});
}

std::string_view activation_name(Activation activation) {
  return activation == Activation::kQuickGelu ? "quick_gelu" : "gelu";
}

std::optional<Activation> find_activation(std::string_view name) {
  for (const Activation activation : {Activation::kQuickGelu, Activation::kGelu}) {
    if (activation_name(activation) == name) return activation;
  }
  return std::nullopt;
}

std::int64_t ClipConfig::grid() const {
  std::int64_t side = preprocessing.image_size;
  for (const StemLayer& layer : stem) side = (side + layer.stride - 1) / layer.stride;
  return side / patch;
}

std::int64_t TensorSpec::size() const {
  std::int64_t size = 1;
  for (const std::int64_t side : shape) size *= side;
  return size;
}

std::vector<TensorSpec> clip_tensors(const ClipConfig& config) {
  const std::int64_t text = config.text.width;
  const std::int64_t vision = config.vision.width;
  std::vector<TensorSpec> tensors = {
      {"logit_scale", {}},
      {"token_embedding.weight", {config.vocabulary, text}},
      {"positional_embedding", {config.context, text}},
  };
  add_blocks(tensors, "transformer", config.text);
  tensors.push_back({"ln_final.weight", {text}});
  tensors.push_back({"ln_final.bias", {text}});
  tensors.push_back({"text_projection", {text, config.embed}});

  tensors.push_back({"visual.class_embedding", {vision}});
  std::int64_t channels = 3;
  for (std::size_t i = 0; i < config.stem.size(); ++i) {
    const std::int64_t out = config.stem[i].channels;
    tensors.push_back({fmt::format("visual.stem.{}.weight", i), {out, channels, 3, 3}});
    tensors.push_back({fmt::format("visual.stem.{}.bias", i), {out}});
    channels = out;
  }
  tensors.push_back({"visual.conv1.weight", {vision, channels, config.patch, config.patch}});
  tensors.push_back({"visual.positional_embedding", {1 + config.grid() * config.grid(), vision}});
  tensors.push_back({"visual.ln_pre.weight", {vision}});
  tensors.push_back({"visual.ln_pre.bias", {vision}});
  add_blocks(tensors, "visual.transformer", config.vision);
  tensors.push_back({"visual.ln_post.weight", {vision}});
  tensors.push_back({"visual.ln_post.bias", {vision}});
  tensors.push_back({"visual.proj", {vision, config.embed}});
  return tensors;
}

std::int64_t parameter_count(const ClipConfig& config) {
  std::int64_t count = 0;
  for (const TensorSpec& tensor : clip_tensors(config)) count += tensor.size();
  return count;
}

}  // namespace openworld

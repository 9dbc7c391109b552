#include "openworld/vlm/clip.h"

#include <ATen/core/grad_mode.h>

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <cmath>

namespace openworld {
namespace {

using at::Tensor;

using TensorMap = std::map<std::string, Tensor>;

Affine affine(const TensorMap& tensors, const std::string& name) {
  return {tensors.at(name + ".weight"), tensors.at(name + ".bias")};
}

std::vector<BlockWeights> blocks(const TensorMap& tensors, const std::string& tower,
                                 std::int64_t layers) {
  std::vector<BlockWeights> result;
  for (std::int64_t i = 0; i < layers; ++i) {
    const std::string name = fmt::format("{}.resblocks.{}.", tower, i);
    const Affine qkv = {tensors.at(name + "attn.in_proj_weight"),
                        tensors.at(name + "attn.in_proj_bias")};
    result.push_back({affine(tensors, name + "ln_1"), qkv, affine(tensors, name + "attn.out_proj"),
                      affine(tensors, name + "ln_2"), affine(tensors, name + "mlp.c_fc"),
                      affine(tensors, name + "mlp.c_proj")});
  }
  return result;
}

}  // namespace

Clip make_clip(const ClipConfig& config, const std::function<Tensor(const TensorSpec&)>& tensor) {
  Clip clip;
  clip.config = config;
  TensorMap& t = clip.tensors;
  for (const TensorSpec& spec : clip_tensors(config)) t[spec.name] = tensor(spec);
  clip.text = {config,
               {t.at("token_embedding.weight"), t.at("positional_embedding"),
                blocks(t, "transformer", config.text.layers), affine(t, "ln_final"),
                t.at("text_projection")}};
  std::vector<Affine> stem;
  for (std::size_t i = 0; i < config.stem.size(); ++i) {
    stem.push_back(affine(t, fmt::format("visual.stem.{}", i)));
  }
  clip.vision = {config,
                 {std::move(stem), t.at("visual.conv1.weight"), t.at("visual.class_embedding"),
                  t.at("visual.positional_embedding"), affine(t, "visual.ln_pre"),
                  blocks(t, "visual.transformer", config.vision.layers),
                  affine(t, "visual.ln_post"), t.at("visual.proj")}};
  clip.logit_scale = t.at("logit_scale");
  return clip;
}

double logit_scale(const Clip& clip) {
  return std::exp(clip.logit_scale.item<double>());
}

void set_logit_scale(Clip& clip, double factor) {
  const at::NoGradGuard no_grad;
  clip.logit_scale.fill_(std::log(factor));
}

at::Tensor normalized(const Tensor& features) {
  return features / features.norm(2, -1, /*keepdim=*/true);
}

at::Tensor lengths(const Tensor& features) {
  return features.norm(2, -1);
}

}  // namespace openworld

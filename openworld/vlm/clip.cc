#include "openworld/vlm/clip.h"

#include <ATen/TensorOperators.h>
#include <fmt/format.h>

#include <map>
#include <string>

namespace openworld {
namespace {

using at::Tensor;

class Tensors {
 public:
  Tensors(const ClipConfig& config, const std::function<Tensor(const TensorSpec&)>& tensor) {
    for (const TensorSpec& spec : clip_tensors(config)) tensors_[spec.name] = tensor(spec);
  }

  Tensor at(const std::string& name) const { return tensors_.at(name); }

  Affine affine(const std::string& name) const {
    return {at(name + ".weight"), at(name + ".bias")};
  }

  std::vector<BlockWeights> blocks(const std::string& tower, std::int64_t layers) const {
    std::vector<BlockWeights> blocks;
    for (std::int64_t i = 0; i < layers; ++i) {
      const std::string name = fmt::format("{}.resblocks.{}.", tower, i);
      blocks.push_back({affine(name + "ln_1"),
                        {at(name + "attn.in_proj_weight"), at(name + "attn.in_proj_bias")},
                        affine(name + "attn.out_proj"),
                        affine(name + "ln_2"),
                        affine(name + "mlp.c_fc"),
                        affine(name + "mlp.c_proj")});
    }
    return blocks;
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

}  // namespace

Clip make_clip(const ClipConfig& config, const std::function<Tensor(const TensorSpec&)>& tensor) {
  const Tensors tensors(config, tensor);
  Clip clip;
  clip.config = config;
  clip.text = {config,
               {tensors.at("token_embedding.weight"), tensors.at("positional_embedding"),
                tensors.blocks("transformer", config.text.layers), tensors.affine("ln_final"),
                tensors.at("text_projection")}};
  std::vector<Affine> stem;
  for (std::size_t i = 0; i < config.stem.size(); ++i) {
    stem.push_back(tensors.affine(fmt::format("visual.stem.{}", i)));
  }
  clip.vision = {
      config,
      {std::move(stem), tensors.at("visual.conv1.weight"), tensors.at("visual.class_embedding"),
       tensors.at("visual.positional_embedding"), tensors.affine("visual.ln_pre"),
       tensors.blocks("visual.transformer", config.vision.layers), tensors.affine("visual.ln_post"),
       tensors.at("visual.proj")}};
  clip.logit_scale = tensors.at("logit_scale");
  return clip;
}

at::Tensor normalized(const Tensor& features) {
  return features / features.norm(2, -1, /*keepdim=*/true);
}

}  // namespace openworld

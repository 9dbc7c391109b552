#include "openworld/pretrain/init_clip.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <string_view>

#include "openworld/base/random.h"

namespace openworld {
namespace {

// Standard deviation of a tensor's start; 0 for those that are constant.
double spread(const ClipConfig& config, const TensorSpec& spec) {
  const std::string_view name = spec.name;
  const bool is_vision = name.starts_with("visual.");
  const TowerConfig& tower = is_vision ? config.vision : config.text;
  const auto width = static_cast<double>(tower.width);
  const double out = 1 / std::sqrt(width * 2 * static_cast<double>(tower.layers));
  const auto ends = [&](std::string_view end) { return name.ends_with(end); };
  if (name == "token_embedding.weight") return 0.02;
  if (name == "positional_embedding") return 0.01;
  if (ends("attn.in_proj_weight")) return 1 / std::sqrt(width);
  if (ends("attn.out_proj.weight") || ends("mlp.c_proj.weight")) return out;
  if (ends("mlp.c_fc.weight")) return 1 / std::sqrt(2 * width);
  if (name == "text_projection" || name == "visual.proj" || name == "visual.class_embedding" ||
      name == "visual.positional_embedding") {
    return 1 / std::sqrt(width);
  }
  if (spec.shape.size() == 4) {
    const auto inputs = static_cast<double>(spec.shape[1] * spec.shape[2] * spec.shape[3]);
    const bool is_stem = name.starts_with("visual.stem.");
    return std::sqrt((is_stem ? 2 : 1) / inputs);
  }
  return 0;
}

}  // namespace

Clip init_clip(const ClipConfig& config, std::uint64_t seed) {
  std::uint64_t stream = 0;
  return make_clip(config, [&](const TensorSpec& spec) {
    at::Tensor tensor = at::empty(spec.shape, at::kFloat);
    const double deviation = spread(config, spec);
    Random random(seed, stream++);
    float* const values = tensor.data_ptr<float>();
    double constant = 0;
    if (spec.name == "logit_scale") constant = std::log(1 / 0.07);
    if (spec.name.find("ln_") != std::string::npos && spec.name.ends_with(".weight")) constant = 1;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
      values[i] = static_cast<float>(deviation > 0 ? deviation * random.normal() : constant);
    }
    return tensor;
  });
}

}  // namespace openworld

#pragma once

// A CLIP model ready to run: two towers and a temperature.

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/vlm/text_tower.h"
#include "openworld/vlm/vision_tower.h"

namespace openworld {

struct Clip {
  ClipConfig config;
  TextTower text;
  VisionTower vision;
  at::Tensor logit_scale;  // log of the factor on cosines
};

// The model whose tensor of a name (clip_tensors) is what `tensor` returns, in the shape listed.
Clip make_clip(const ClipConfig& config,
               const std::function<at::Tensor(const TensorSpec&)>& tensor);

// f / |f| over the last dimension.
at::Tensor normalized(const at::Tensor& features);

}  // namespace openworld

#pragma once

// A CLIP model ready to run: two towers and a temperature, on one device.

#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <string>

#include "openworld/checkpoint/clip_config.h"
#include "openworld/vlm/text_tower.h"
#include "openworld/vlm/vision_tower.h"

namespace openworld {

struct Clip {
  ClipConfig config;
  TextTower text;
  VisionTower vision;
  at::Tensor logit_scale;  // log of the logit scale

  // The same tensors by the names of clip_tensors; changing one in place changes the tower.
  std::map<std::string, at::Tensor> tensors;

  at::Device device() const { return logit_scale.device(); }
};

// The model whose tensor of a name (clip_tensors) is what `tensor` returns, in the shape listed.
Clip make_clip(const ClipConfig& config,
               const std::function<at::Tensor(const TensorSpec&)>& tensor);

// exp(logit_scale): what cosines are multiplied by.
double logit_scale(const Clip& clip);
void set_logit_scale(Clip& clip, double factor);

// f / |f| over the last dimension, and |f|.
at::Tensor normalized(const at::Tensor& features);
at::Tensor lengths(const at::Tensor& features);

}  // namespace openworld

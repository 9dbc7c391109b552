#include "openworld/learners/learner.h"

#include <torch/csrc/autograd/autograd.h>

namespace openworld {

std::string_view image_input_name(ImageInput input) {
  switch (input) {
    case ImageInput::kFeatures:
      break;
    case ImageInput::kPatches:
      return "image and patch features";
    case ImageInput::kPatchStates:
      return "image features and patch states";
    case ImageInput::kPixels:
      return "images";
  }
  return "image features";
}

void Learner::begin_stage(std::size_t, const Episode&) {}

void Learner::end_epoch(std::size_t, std::int64_t) {}

double Learner::backward(std::size_t stage, const Batch& batch) {
  const at::Tensor value = loss(stage, batch);
  if (value.requires_grad()) value.backward();
  return value.item<double>();
}

at::Tensor Learner::add_parameter(const std::string& name, const at::Tensor& value) {
  return parameters_[name] = value.detach().clone().requires_grad_();
}

std::vector<std::string> Learner::parameter_names() const {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : parameters_) names.push_back(name);
  return names;
}

}  // namespace openworld

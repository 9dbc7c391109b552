#include "openworld/learners/learner.h"

#include <torch/csrc/autograd/autograd.h>

#include <numeric>

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

Scorer Learner::scorer(const std::vector<std::string>& new_names) {
  NameColumns all;
  all.base.resize(task_.base_names.size());
  all.new_names.resize(new_names.size());
  std::iota(all.base.begin(), all.base.end(), 0);
  std::iota(all.new_names.begin(), all.new_names.end(), base_count());
  all.detected = all.base;
  return [all, score = view_scorer({{.names = new_names}})](const ScoredImages& images) {
    return score(images, {&all, 1})[0];
  };
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

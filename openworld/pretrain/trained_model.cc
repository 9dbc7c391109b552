#include "openworld/pretrain/trained_model.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include <cassert>
#include <cmath>

#include "openworld/base/random.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::string_view kVectors = "words.vectors", kScale = "words.scale";

// Cosines of random vectors of width 128 have a deviation of 0.09; times 12 the softmax over some
// thousand words starts nearly even and still has slopes.
constexpr double kFirstWordScale = 12;

bool is_running(std::string_view name) {
  return name.ends_with(".norm.mean") || name.ends_with(".norm.variance");
}

bool is_locked(std::string_view name, Tower locked) {
  return locked != Tower::kNeither && tower_of_tensor(name) == locked;
}

}  // namespace

Tower tower_of_tensor(std::string_view name) {
  if (name == "logit_scale" || name == kVectors || name == kScale) return Tower::kNeither;
  return name.starts_with("visual.") ? Tower::kImage : Tower::kText;
}

TrainedModel::Tensors TrainedModel::tensors() const {
  Tensors all = clip.tensors;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const std::string name = fmt::format("visual.stem.{}.norm.", i);
    all[name + "weight"] = norms[i].weight;
    all[name + "mean"] = norms[i].mean;
    all[name + "variance"] = norms[i].variance;
  }
  if (word_vectors.defined()) {
    all[std::string(kVectors)] = word_vectors;
    all[std::string(kScale)] = word_scale;
  }
  return all;
}

TrainedModel::Tensors TrainedModel::trained(Tower locked, bool words) const {
  Tensors some;
  for (const auto& [name, tensor] : tensors()) {
    const bool is_word = name == kVectors || name == kScale;
    if (is_running(name) || is_locked(name, locked) || (is_word && !words)) continue;
    some[name] = tensor;
  }
  return some;
}

TrainedModel::Tensors TrainedModel::running(Tower locked) const {
  Tensors some;
  for (const auto& [name, tensor] : tensors()) {
    if (is_running(name) && !is_locked(name, locked)) some[name] = tensor;
  }
  return some;
}

Clip TrainedModel::finished() const {
  const at::NoGradGuard no_grad;
  std::map<std::string, Tensor> stem;
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const Affine layer = folded(clip.vision.weights.stem[i], norms[i]);
    stem[fmt::format("visual.stem.{}.weight", i)] = layer.weight;
    stem[fmt::format("visual.stem.{}.bias", i)] = layer.bias;
  }
  return make_clip(clip.config, [&](const TensorSpec& spec) {
    const auto found = stem.find(spec.name);
    return found == stem.end() ? clip.tensors.at(spec.name).detach().clone() : found->second;
  });
}

TrainedModel TrainedModel::with(const Tensors& other) const {
  const Tensors own = tensors();
  const auto pick = [&](const std::string& name) {
    const auto found = other.find(name);
    return (found == other.end() ? own.at(name) : found->second).detach().clone();
  };
  TrainedModel model;
  model.clip = make_clip(clip.config, [&](const TensorSpec& spec) { return pick(spec.name); });
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const std::string name = fmt::format("visual.stem.{}.norm.", i);
    model.norms.push_back({pick(name + "weight"), pick(name + "mean"), pick(name + "variance")});
  }
  if (word_vectors.defined()) {
    model.word_vectors = pick(std::string(kVectors));
    model.word_scale = pick(std::string(kScale));
  }
  return model;
}

TrainedModel make_trained_model(Clip clip, bool batch_norm) {
  TrainedModel model;
  model.clip = std::move(clip);
  if (!batch_norm) return model;
  const at::Device device = model.clip.device();
  for (const StemNorm& norm : make_stem_norms(model.clip.config)) {
    model.norms.push_back({norm.weight.to(device), norm.mean.to(device), norm.variance.to(device)});
  }
  return model;
}

void add_word_vectors(TrainedModel& model, std::int64_t words, std::uint64_t seed) {
  const std::int64_t width = model.clip.config.embed;
  Tensor vectors = at::empty({words, width}, at::kFloat);
  Random random(seed);
  float* const values = vectors.data_ptr<float>();
  const double deviation = 1 / std::sqrt(static_cast<double>(width));
  for (std::int64_t i = 0; i < vectors.numel(); ++i) {
    values[i] = static_cast<float>(deviation * random.normal());
  }
  const at::Device device = model.clip.device();
  model.word_vectors = vectors.to(device);
  model.word_scale = at::full({}, std::log(kFirstWordScale), at::kFloat).to(device);
}

}  // namespace openworld

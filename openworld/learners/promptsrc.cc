#include "openworld/learners/promptsrc.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/deep_text.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/inner_threads.h"
#include "openworld/vlm/zeroshot.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kPromptSrcDepth = 9;
constexpr double kMeanShare = 0.75;  // epoch 15 of 20

enum PromptSrcStream : std::uint64_t { kTextDeep = 1, kVisual = 2, kVisualDeep = 3 };

class Promptsrc : public Learner {
 public:
  Promptsrc(const TuningTask& task, const PromptsrcOptions& options)
      : Learner(task), options_(options), images_(task.text_model) {
    const ClipConfig& config = clip().config;
    const std::int64_t text_depth =
        prompt_depth(options.depth, kPromptSrcDepth, config.text.layers, "text");
    const std::int64_t visual_depth =
        prompt_depth(options.depth, kPromptSrcDepth, config.vision.layers, "vision");
    const WordContext start = first_words(task, options);
    const std::int64_t tokens = start.rows.size(0);
    const auto add_rows = [&](const std::string& name, at::IntArrayRef shape,
                              std::uint64_t stream) {
      add_parameter(name, normal_values(shape, task.seed, stream).to(clip().device()));
    };
    add_parameter("context", start.rows);
    add_rows("visual", {options.visual_tokens, config.vision.width}, kVisual);
    if (text_depth > 1) add_rows("deep", {text_depth - 1, tokens, config.text.width}, kTextDeep);
    if (visual_depth > 1) {
      add_rows("visual_deep", {visual_depth - 1, options.visual_tokens, config.vision.width},
               kVisualDeep);
    }
    text_ = std::make_unique<DeepText>(task, tokens, text_depth, start.rest);
    for (const auto& [name, tensor] : parameters_) {
      if (options.gpa_std > 0) state_["mean." + name] = at::zeros_like(tensor.detach());
    }
    stage_ = options.stage("prompts", parameter_names());
  }

  std::vector<Stage> stages() const override { return {stage_}; }
  ImageInput scored_input() const override { return ImageInput::kPixels; }

  void begin_stage(std::size_t, const Episode& episode) override {
    if (!teacher_.defined()) teacher_ = teacher_features();
    // Features of the episode are of the pixels that are served, unless those are drawn anew.
    has_frozen_features_ = episode.features.defined() && !episode.fresh_views;
  }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor f = images_.features(batch.pixels, visual_prompts()).select(1, 0);
    const Tensor g = text_->base_features(parameters_.at("context"), optional("deep"));
    const Tensor frozen =
        has_frozen_features_ ? batch.features : images_.features_of_each(batch.pixels).select(1, 0);
    const Tensor logits = scaled_logits(clip(), f, g);
    const Tensor log_p = at::log_softmax(logits, 1);
    const Tensor log_frozen = at::log_softmax(scaled_logits(clip(), frozen, teacher_), 1);
    return cross_entropy(logits, batch.labels) +
           options_.text_weight * (g - teacher_).abs().mean() +
           options_.image_weight * (f - frozen).abs().mean() +
           options_.logits_weight * (log_frozen.exp() * (log_frozen - log_p)).mean();
  }

  void end_epoch(std::size_t, std::int64_t epoch) override {
    if (options_.gpa_std <= 0) return;
    const double mean =
        options_.gpa_mean > 0 ? options_.gpa_mean : kMeanShare * static_cast<double>(stage_.epochs);
    const double weight =
        gaussian_weights(stage_.epochs, mean, options_.gpa_std)[static_cast<std::size_t>(epoch)];
    for (auto& [name, tensor] : parameters_) {
      Tensor& sum = state_.at("mean." + name);
      sum.add_(tensor, weight);
      if (epoch + 1 == stage_.epochs) tensor.copy_(sum);
    }
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const Tensor texts =
        text_->all_features(NameTable(task_, lists), parameters_.at("context"), optional("deep"));
    return class_token_scorer(
        clip(), images_, [this] { return visual_prompts(); }, texts);
  }

 private:
  Tensor optional(const std::string& name) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? Tensor() : found->second;
  }

  VisionOptions visual_prompts() const {
    const Tensor deep = optional("visual_deep");
    if (!deep.defined()) return {.prompts = {{0, parameters_.at("visual")}}};
    return {.prompts = deep_prompts(parameters_.at("visual"), deep)};
  }

  std::vector<std::string> teacher_sentences() const {
    const bool photos = task_.sentences.plain_words == "a photo of a";
    if (options_.teacher == "promptsrc60" || (options_.teacher == "auto" && photos)) {
      return find_template_set("promptsrc60").templates;
    }
    return options_.teacher == "template" ? task_.sentences.templates : task_.sentences.ensemble;
  }

  // The mean of features that are not normalised, normalised.
  Tensor teacher_features() const {
    const at::NoGradGuard no_grad;
    const BlasThreads blas(1);
    const OpenMpThreads open_mp(1);
    const TextModel& model = task_.text_model;
    std::vector<Tensor> features;
    for (const std::string& sentence : teacher_sentences()) {
      std::vector<std::string> texts;
      for (const std::string& name : task_.base_names) texts.push_back(fill(sentence, name));
      features.push_back(
          encode_texts(*model.clip, *model.tokenizer, texts, {.memory = model.memory}));
    }
    return normalized(at::stack(features).mean(0));
  }

  PromptsrcOptions options_;
  PromptedImages images_;
  std::unique_ptr<DeepText> text_;
  Stage stage_;
  Tensor teacher_;
  bool has_frozen_features_ = false;
};

}  // namespace

std::vector<double> gaussian_weights(std::int64_t epochs, double mean, double deviation) {
  std::vector<double> exponents, weights;
  for (std::int64_t e = 1; e <= epochs; ++e) {
    const double z = (static_cast<double>(e) - mean) / deviation;
    exponents.push_back(-z * z / 2);
  }
  // Relative to the largest, so that a mean far outside leaves something.
  const double largest = *std::max_element(exponents.begin(), exponents.end());
  double sum = 0;
  for (const double exponent : exponents) {
    weights.push_back(std::exp(exponent - largest));
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

PromptsrcOptions::PromptsrcOptions() {
  tokens = 4;
  init = "auto";
  epochs = 20;
  batch = 4;
  lr = 0.0025;
}

void PromptsrcOptions::declare(OptionList& list) {
  list.add("tokens", tokens, 1, 1024, "learned rows of text at the input of a block");
  list.add("visual_tokens", visual_tokens, 1, 1024,
           "learned rows beside the patches at the input of a block");
  list.add("init", init,
           "words that the context starts from; auto: those before the name in a plain sentence; "
           "empty: noise");
  list.add("depth", depth, 0, 1024,
           "blocks with rows of their own in both towers, 1 for shallow prompts; 0: 9, or all if "
           "there are fewer");
  list.add("text_weight", text_weight, 0, 1e6, "of staying close to the frozen text features");
  list.add("image_weight", image_weight, 0, 1e6, "of staying close to the frozen image features");
  list.add("logits_weight", logits_weight, 0, 1e6,
           "of staying close to the frozen model's probabilities");
  list.add("teacher", teacher, {"auto", "promptsrc60", "ensemble", "template"},
           "sentences of the frozen text features: the 60 as released, the ensemble, or the run's "
           "template; auto: the 60, or the ensemble if the images are not photos");
  list.add("gpa_mean", gpa_mean, 0, 1e6,
           "epoch that the mean of prompts is centred on; 0: three quarters of the epochs");
  list.add("gpa_std", gpa_std, 0, 1e6,
           "its width in epochs; 0: the prompts of the last epoch instead");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> PromptsrcOptions::make(const TuningTask& task) const {
  return std::make_unique<Promptsrc>(task, *this);
}

}  // namespace openworld

#include "openworld/learners/maple.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/deep_text.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/block.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kMapleDepth = 9;

// Streams of random numbers; 0 is the context's.
enum MapleStream : std::uint64_t { kMapleDeep = 1, kMapleProjection = 2, kMapleDeepProjection = 3 };

class Maple : public Learner {
 public:
  Maple(const TuningTask& task, const MapleOptions& options)
      : Learner(task), images_(task.text_model) {
    const ClipConfig& config = clip().config;
    const bool text_is_short = config.text.layers < config.vision.layers;
    const std::int64_t depth =
        prompt_depth(options.depth, kMapleDepth, std::min(config.text.layers, config.vision.layers),
                     text_is_short ? "text" : "vision");
    const WordContext start = first_words(task, options);
    const std::int64_t tokens = start.rows.size(0);
    const std::int64_t width = config.text.width, vision = config.vision.width;
    const auto add = [&](const std::string& name, const Tensor& value) {
      add_parameter(name, value.to(clip().device()));
    };
    add("context", start.rows);
    const LinearValues first = linear_values(width, vision, task.seed, kMapleProjection);
    add("proj.weight", first.weight);
    add("proj.bias", first.bias);
    if (depth > 1) {
      const std::int64_t later = depth - 1;
      add("deep", normal_values({later, tokens, width}, task.seed, kMapleDeep));
      // All are copies of one layer.
      const LinearValues one = linear_values(width, vision, task.seed, kMapleDeepProjection);
      add("deep_proj.weight", one.weight.unsqueeze(0).repeat({later, 1, 1}));
      add("deep_proj.bias", one.bias.unsqueeze(0).repeat({later, 1}));
    }
    text_ = std::make_unique<DeepText>(task, tokens, depth, start.rest);
    stage_ = options.stage("prompts", parameter_names());
  }

  std::vector<Stage> stages() const override { return {stage_}; }
  ImageInput scored_input() const override { return ImageInput::kPixels; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor features = images_.features(batch.pixels, visual_prompts()).select(1, 0);
    const Tensor texts = text_->base_features(parameters_.at("context"), deep());
    return cross_entropy(scaled_logits(clip(), features, texts), batch.labels);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const Tensor texts =
        text_->all_features(NameTable(task_, lists), parameters_.at("context"), deep());
    return class_token_scorer(
        clip(), images_, [this] { return visual_prompts(); }, texts);
  }

 private:
  Tensor deep() const {
    const auto found = parameters_.find("deep");
    return found == parameters_.end() ? Tensor() : found->second;
  }

  VisionOptions visual_prompts() const {
    const Affine first = {parameters_.at("proj.weight"), parameters_.at("proj.bias")};
    VisionOptions options;
    options.prompts = {{0, linear(parameters_.at("context"), first)}};
    if (!deep().defined()) return options;
    for (std::int64_t b = 0; b < deep().size(0); ++b) {
      const Affine map = {parameters_.at("deep_proj.weight").select(0, b),
                          parameters_.at("deep_proj.bias").select(0, b)};
      options.prompts.push_back({b + 1, linear(deep().select(0, b), map)});
    }
    return options;
  }

  PromptedImages images_;
  std::unique_ptr<DeepText> text_;
  Stage stage_;
};

}  // namespace

MapleOptions::MapleOptions() {
  tokens = 2;
  init = "auto";
  epochs = 5;
  batch = 4;
  lr = 0.0035;
}

void MapleOptions::declare(OptionList& list) {
  list.add("tokens", tokens, 1, 1024,
           "learned rows at the input of a block; words of init beyond them stay as they are");
  list.add("init", init,
           "words that the context starts from; auto: those before the name in a plain sentence; "
           "empty: noise");
  list.add("depth", depth, 0, 1024,
           "blocks with rows of their own in both towers, 1 for shallow prompts; 0: 9, or all if "
           "there are fewer");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> MapleOptions::make(const TuningTask& task) const {
  return std::make_unique<Maple>(task, *this);
}

}  // namespace openworld

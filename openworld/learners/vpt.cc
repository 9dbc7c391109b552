#include "openworld/learners/vpt.h"

#include <cmath>

#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

constexpr std::int64_t kVptDepth = 12;

class Vpt : public Learner {
 public:
  Vpt(const TuningTask& task, const VptOptions& options)
      : Learner(task),
        plain_(options.sentence == "plain"),
        texts_(texts_of({})),
        images_(task.text_model),
        stage_(options.stage("prompts", {"visual"})) {
    const ClipConfig& config = clip().config;
    const std::int64_t depth =
        prompt_depth(options.depth, kVptDepth, config.vision.layers, "vision");
    const std::int64_t shape[] = {options.tokens, config.vision.width};
    const std::int64_t deep_shape[] = {depth - 1, options.tokens, config.vision.width};
    add_parameter("visual", start(shape, options, 0));
    if (depth > 1) {
      add_parameter("visual_deep", start(deep_shape, options, 1));
      stage_.parameters.push_back("visual_deep");
    }
  }

  std::vector<Stage> stages() const override { return {stage_}; }
  ImageInput scored_input() const override { return ImageInput::kPixels; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor features = images_.features(batch.pixels, prompts()).select(1, 0);
    return cross_entropy(scaled_logits(clip(), features, texts_), batch.labels);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    return class_token_scorer(
        clip(), images_, [this] { return prompts(); }, texts_of(lists));
  }

 private:
  Tensor texts_of(const std::vector<NameList>& lists) const {
    const auto choose = [this](const Sentences& sentences) {
      return plain_ ? std::vector{plain_template(sentences)} : sentences.templates;
    };
    return sentence_features(task_.text_model, NameTable(task_, lists), choose, false);
  }

  Tensor start(at::IntArrayRef shape, const VptOptions& options, std::uint64_t stream) const {
    const ClipConfig& config = clip().config;
    // That of the original VPT, for a patch of P x P pixels of three colours.
    const auto patch = static_cast<double>(3 * config.patch * config.patch);
    const double bound = std::sqrt(6 / (patch + static_cast<double>(config.vision.width)));
    const Tensor values = options.start == "uniform"
                              ? uniform_values(shape, bound, task_.seed, stream)
                              : normal_values(shape, task_.seed, stream);
    return values.to(clip().device());
  }

  VisionOptions prompts() const {
    const auto deep = parameters_.find("visual_deep");
    const Tensor& first = parameters_.at("visual");
    if (deep == parameters_.end()) return {.prompts = {{0, first}}};
    return {.prompts = deep_prompts(first, deep->second)};
  }

  bool plain_;
  Tensor texts_;
  PromptedImages images_;
  Stage stage_;
};

}  // namespace

VptOptions::VptOptions() {
  epochs = 5;
  batch = 4;
  lr = 0.0025;
}

void VptOptions::declare(OptionList& list) {
  list.add("tokens", tokens, 1, 1024, "learned rows at the input of a block");
  list.add(
      "depth", depth, 0, 1024,
      "blocks with rows of their own, 1 for shallow prompts; 0: 12, or all if there are fewer");
  list.add("sentence", sentence, {"plain", "template"},
           "of the texts: \"a photo of a {}.\" as released, or the run's template");
  list.add("start", start, {"normal", "uniform"},
           "of the rows: N(0, 0.02^2) as released, or the uniform one of the original VPT");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> VptOptions::make(const TuningTask& task) const {
  return std::make_unique<Vpt>(task, *this);
}

}  // namespace openworld

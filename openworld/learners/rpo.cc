#include "openworld/learners/rpo.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "openworld/base/error.h"
#include "openworld/learners/common/initial_values.h"
#include "openworld/learners/common/losses.h"
#include "openworld/learners/common/prompted_images.h"
#include "openworld/learners/text_classifier.h"
#include "openworld/vlm/row_products.h"

namespace openworld {
namespace {

using at::Tensor;

class Rpo : public Learner {
 public:
  Rpo(const TuningTask& task, const RpoOptions& options)
      : Learner(task),
        tokens_(options.tokens),
        plain_(options.sentence == "plain"),
        images_(task.text_model),
        pool_(task.text_model.threads),
        stage_(options.stage("prompts", {"text", "visual"})) {
    const ClipConfig& config = clip().config;
    const std::int32_t end = task.text_model.tokenizer->vocabulary().end_of_text;
    const auto start = [&](const Tensor& row, std::uint64_t stream) {
      const Tensor noise = unit_rows(tokens_, row.size(0), task.seed, stream).to(clip().device());
      return row.detach().unsqueeze(0) + noise * options.noise;
    };
    add_parameter("text", start(clip().text.weights.token_embedding.select(0, end), 0));
    add_parameter("visual", start(clip().vision.weights.class_embedding, 1));
    if (tokens_ >= config.context) {
      fail("prompts", fmt::format("option tokens is {}; the text tower has room for {} rows, of "
                                  "which the sentence takes some",
                                  tokens_, config.context));
    }
    prompts_ = std::make_unique<PromptList>(prompts_of(NameTable(task, {})));
  }

  std::vector<Stage> stages() const override { return {stage_}; }
  ImageInput scored_input() const override { return ImageInput::kPixels; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor images = images_.features(batch.pixels, visual_prompts());
    const Tensor texts = pool_.features(*prompts_, parameters_.at("text"));
    return cross_entropy(logits_of(images, texts), batch.labels);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const at::NoGradGuard no_grad;
    PromptList prompts = prompts_of(NameTable(task_, lists));
    const Tensor texts = pool_.features(prompts, parameters_.at("text"));
    return [this, texts](const ScoredImages& images, std::span<const NameColumns> views) {
      const at::NoGradGuard scoring;
      const Tensor features = images_.features_of_each(images.pixels, visual_prompts());
      return msp_scores(logits_of(features, texts), views);
    };
  }

 private:
  VisionOptions visual_prompts() const {
    return {.prompts = {{0, parameters_.at("visual")}}, .read_only = true};
  }

  std::string sentence_of(const Sentences& sentences) const {
    if (plain_) return plain_template(sentences);
    if (sentences.templates.size() != 1) {
      fail("prompts",
           fmt::format("there are {} templates; expected one", sentences.templates.size()));
    }
    return sentences.templates.front();
  }

  // Below the end of every sentence, each by itself, without positions. The released code puts them
  // one after the other, so that sentence and rows have to fit the context together.
  PromptList prompts_of(const NameTable& table) const {
    std::vector<PromptRow> readers;
    for (std::int32_t k = 0; k < tokens_; ++k) {
      readers.push_back({.learnable = k, .positioned = false, .visible = false});
    }
    std::vector<Prompt> prompts;
    for (const NameTable::Group& group : table.groups()) {
      const std::string sentence = sentence_of(group.sentences);
      for (const std::string& name : group.names) {
        prompts.push_back(
            {sentence_rows(task_.text_model, fill(sentence, name), name, tokens_), readers});
      }
    }
    return {task_.text_model, std::move(prompts), tokens_};
  }

  // images [n, K, embed], texts [names * K, embed]: s / K times the sum over k of their products.
  Tensor logits_of(const Tensor& images, const Tensor& texts) const {
    const double scale = logit_scale(clip()) / static_cast<double>(tokens_);
    return scale *
           row_products(images.flatten(1), texts.reshape({-1, tokens_ * texts.size(1)}).t());
  }

  std::int64_t tokens_;
  bool plain_;
  PromptedImages images_;
  PromptPool pool_;
  std::unique_ptr<PromptList> prompts_;
  Stage stage_;
};

}  // namespace

RpoOptions::RpoOptions() {
  epochs = 15;
  batch = 4;
  lr = 0.01;
}

void RpoOptions::declare(OptionList& list) {
  list.add("tokens", tokens, 1, 1024, "K, learned rows in each tower");
  list.add("noise", noise, 0, 1e6,
           "length of the noise that sets the rows apart, which start from the embeddings of EOT "
           "and of the class token");
  list.add("sentence", sentence, {"plain", "template"},
           "of the texts: \"a photo of a {}.\" as released, or the run's template");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> RpoOptions::make(const TuningTask& task) const {
  return std::make_unique<Rpo>(task, *this);
}

}  // namespace openworld

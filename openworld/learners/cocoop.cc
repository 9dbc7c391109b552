#include "openworld/learners/cocoop.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "openworld/learners/common/losses.h"
#include "openworld/learners/conditional_context.h"
#include "openworld/learners/context_learner.h"
#include "openworld/learners/text_classifier.h"

namespace openworld {
namespace {

using at::Tensor;

class Cocoop : public Learner {
 public:
  Cocoop(const TuningTask& task, const CocoopOptions& options)
      : Learner(task), pool_(task.text_model.threads) {
    const Tensor context = add_parameter("context", first_context(task, options));
    for (const auto& [name, value] : conditional_values(task, options.hidden)) {
      add_parameter(name, value);
    }
    shape_ = {.tokens = context.size(0), .position = name_position(options.position)};
    prompts_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names, shape_);
    stage_ = options.stage("prompts", parameter_names());
  }

  std::vector<Stage> stages() const override { return {stage_}; }

  Tensor loss(std::size_t, const Batch& batch) override {
    const Tensor contexts = conditional_contexts(parameters_, batch.features);
    const Tensor texts = pool_.features(*prompts_, contexts);
    return cross_entropy(logit_scale(clip()) * own_cosines(batch.features, texts), batch.labels);
  }

  ViewScorer view_scorer(const std::vector<NameList>& lists) override {
    const auto names =
        std::make_shared<ContextPrompts>(task_.text_model, NameTable(task_, lists).names(), shape_);
    return [this, names](const ScoredImages& images, std::span<const NameColumns> views) {
      const at::NoGradGuard no_grad;
      const Tensor cosines = cosines_of_each(pool_, *names, parameters_, images.features);
      return msp_scores(logit_scale(clip()) * cosines, views);
    };
  }

 private:
  PromptPool pool_;
  PromptShape shape_;
  std::unique_ptr<ContextPrompts> prompts_;
  Stage stage_;
};

}  // namespace

CocoopOptions::CocoopOptions() {
  tokens = 4;
  init = "auto";
  epochs = 10;
  batch = 1;
}

void CocoopOptions::declare(OptionList& list) {
  declare_prompt(list);
  list.add("position", position, {"end", "middle", "front"}, "of the class name in the prompt");
  list.add("hidden", hidden, 0, 1 << 16,
           "width of the net's inner layer; 0: a sixteenth of the features'");
  TrainingOptions::declare(list);
}

std::unique_ptr<Learner> CocoopOptions::make(const TuningTask& task) const {
  return std::make_unique<Cocoop>(task, *this);
}

}  // namespace openworld

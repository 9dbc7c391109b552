#include "openworld/learners/context_learner.h"

#include <ATen/core/grad_mode.h>

#include "openworld/base/error.h"
#include "openworld/learners/common/losses.h"

namespace openworld {

using at::Tensor;

void ContextOptions::declare(OptionList& list) {
  declare_prompt(list);
  list.add("position", position, {"end", "middle", "front"}, "of the class name in the prompt");
  list.add("class_specific", class_specific,
           "every base class has a context of its own, and new names none");
  TrainingOptions::declare(list);
}

NamePosition name_position(const std::string& name) {
  return name == "front"    ? NamePosition::kFront
         : name == "middle" ? NamePosition::kMiddle
                            : NamePosition::kEnd;
}

ContextLearner::ContextLearner(const TuningTask& task, const ContextOptions& options)
    : ContextLearner(task, options, first_context(task, options)) {}

ContextLearner::ContextLearner(const TuningTask& task, const ContextOptions& options,
                               const Tensor& rows)
    : task_(task),
      stages_({options.stage("prompts", {"context"})}),
      shape_({rows.size(0), name_position(options.position), options.class_specific}),
      pool_(task.text_model.threads) {
  const auto classes = static_cast<std::int64_t>(task.base_names.size());
  context_ = add_parameter(
      "context", shape_.class_specific ? rows.unsqueeze(0).repeat({classes, 1, 1}) : rows);
  prompts_ = std::make_unique<ContextPrompts>(task.text_model, task.base_names, shape_);
}

std::vector<Stage> ContextLearner::stages() const {
  return stages_;
}

Tensor ContextLearner::loss(std::size_t, const Batch& batch) {
  const Tensor features = texts();
  return loss_of(batch, features, scaled_logits(clip(), batch.features, features));
}

Tensor ContextLearner::loss_of(const Batch& batch, const Tensor&, const Tensor& logits) const {
  return cross_entropy(logits, batch.labels);
}

Tensor ContextLearner::name_features(const std::vector<std::string>& new_names) {
  const at::NoGradGuard no_grad;
  if (shape_.class_specific && !new_names.empty()) {
    fail("prompts",
         "option class_specific is true, which has no prompt for new names; expected "
         "all classes to be base");
  }
  ContextPrompts prompts(task_.text_model, all_names(task_, new_names), shape_);
  return pool_.features(prompts, context_);
}

Scorer ContextLearner::scorer(const std::vector<std::string>& new_names) {
  return [this, texts = name_features(new_names)](const ScoredImages& images) {
    return msp_scores(clip(), images.features, texts, base_count());
  };
}

}  // namespace openworld
